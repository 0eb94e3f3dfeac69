/** Tables and queues that are encrypted, require TLS and are retained when they are removed from the stack. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type CfnTable, Table, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type DeadLetterQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { queueRetentionMs } from '#lambdas/platform/aws/sqs.ts';

/**
 * For retained resources without deletion protection: a failed creation of the stack removes them again. Protected ones
 * use `RETAIN`, since CloudFormation could not delete them, and the rollback would fail.
 */
export const retainAfterCreation = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

export class RetainedTable extends Table {
  constructor(scope: Construct, id: string, props: TableProps) {
    super(scope, id, {
      ...props,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      // The policy of a table also applies to its indexes.
      resourcePolicy: tlsOnlyPolicy(),
    });
    if (props.stream !== undefined) this.requireTlsForStream();
  }

  /** Sets the resource policy of the stream, for which `Table` has no property. */
  private requireTlsForStream(): void {
    const table = this.node.defaultChild as CfnTable;
    table.addPropertyOverride('StreamSpecification.ResourcePolicy', {
      PolicyDocument: tlsOnlyPolicy().toJSON(),
    });
  }
}

export function stringKey(name: string) {
  return { name, type: AttributeType.STRING };
}

interface RetainedQueueProps {
  /** Default: 30 seconds. */
  visibilityTimeout?: Duration;
  deadLetterQueue?: DeadLetterQueue;
}

export class RetainedQueue extends Queue {
  constructor(scope: Construct, id: string, props: RetainedQueueProps = {}) {
    super(scope, id, {
      ...props,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.millis(queueRetentionMs),
      removalPolicy: retainAfterCreation,
    });
  }
}

function tlsOnlyPolicy(): PolicyDocument {
  return new PolicyDocument({ statements: [denyInsecureTransport('dynamodb')] });
}

/**
 * Returns a resource policy statement that denies requests without TLS and grants nothing. Every request has the
 * condition key, and `Bool` does not match when a key is missing, so nobody is locked out of changing the policy.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-securetransport
 *
 * `service` is an IAM service prefix such as `dynamodb`. The resource is `*`, since a reference to the resource itself
 * would be circular.
 */
export function denyInsecureTransport(service: string): PolicyStatement {
  return new PolicyStatement({
    sid: 'DenyInsecureTransport',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [`${service}:*`],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });
}
