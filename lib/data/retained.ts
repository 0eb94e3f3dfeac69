/** Tables and queues that outlive mistakes: encrypted, reached over TLS alone, and kept when a deploy removes them. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type CfnTable, Table, type TableProps } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type DeadLetterQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { queueRetentionMs } from '#lambdas/platform/aws/sqs.ts';

/** Backed up continuously and protected against deletion. */
export class RetainedTable extends Table {
  constructor(scope: Construct, id: string, props: TableProps) {
    super(scope, id, {
      ...props,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      // It covers the indexes too.
      resourcePolicy: tlsOnlyPolicy(),
    });
    if (props.stream !== undefined) this.protectStream();
  }

  /** A stream holds the same data and has a policy of its own, for which `Table` has no property. */
  private protectStream(): void {
    const table = this.node.defaultChild as CfnTable;
    table.addPropertyOverride('StreamSpecification.ResourcePolicy', {
      PolicyDocument: tlsOnlyPolicy().toJSON(),
    });
  }
}

/** A string attribute as a key. */
export function stringKey(name: string) {
  return { name, type: AttributeType.STRING };
}

export interface RetainedQueueProps {
  /** How long a received message is hidden from other receivers; 30 seconds by default. */
  visibilityTimeout?: Duration;
  deadLetterQueue?: DeadLetterQueue;
}

/** Keeps messages as long as SQS can. */
export class RetainedQueue extends Queue {
  constructor(scope: Construct, id: string, props: RetainedQueueProps = {}) {
    super(scope, id, {
      ...props,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.millis(queueRetentionMs),
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}

function tlsOnlyPolicy(): PolicyDocument {
  return new PolicyDocument({ statements: [denyInsecureTransport('dynamodb')] });
}

/**
 * A statement for the policy of a resource that refuses callers without TLS and grants nothing. Every request has the
 * condition key, and `Bool` does not match where it is missing, so nobody is locked out of changing the policy.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-securetransport
 *
 * `service` is such as `dynamodb`. The statement does not name its resource: that would be a circular reference.
 */
export function denyInsecureTransport(service: string): PolicyStatement {
  return new PolicyStatement({
    sid: 'RefuseWithoutTls',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [`${service}:*`],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  });
}
