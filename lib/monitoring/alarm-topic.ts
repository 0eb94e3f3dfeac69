import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterOrPolicy, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

interface AlarmTopicProps {
  alarmEmail: string | null;
}

/** Leaves out the first state of a new alarm, if it is OK: one e-mail for each would follow a deployment. */
const raisedOrEnded = {
  $or: FilterOrPolicy.filter(
    new SubscriptionFilter([{ NewStateValue: ['ALARM'] }, { OldStateValue: ['ALARM'] }]),
  ),
};

/** The limit of SNS. */
const maxDisplayNameLength = 100;

/**
 * Receives the alarms of the stack. Not encrypted with a KMS key: CloudWatch cannot publish with the AWS-managed key,
 * another one has a monthly price, and an alarm contains only names, thresholds and counts.
 * https://repost.aws/knowledge-center/cloudwatch-configure-alarm-sns
 */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { alarmEmail }: AlarmTopicProps) {
    const { stackName, partition, region, account } = Stack.of(scope);
    super(scope, id, { displayName: stackName.slice(0, maxDisplayNameLength), enforceSSL: true });
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisStack',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        conditions: {
          ArnLike: {
            'aws:SourceArn': `arn:${partition}:cloudwatch:${region}:${account}:alarm:${stackName}-*`,
          },
          StringEquals: { 'aws:SourceAccount': account },
        },
      }),
    );
    if (alarmEmail === null) return;
    this.addSubscription(new EmailSubscription(alarmEmail, { filterPolicyWithMessageBody: raisedOrEnded }));
  }
}
