import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type DeadLetterQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface RetainedQueueProps {
  /** How long a message that was received is hidden from others. 30 seconds where nothing is said. */
  visibilityTimeout?: Duration;
  deadLetterQueue?: DeadLetterQueue;
}

/** A queue whose messages wait for as long as SQS keeps any, encrypted, and that no deploy deletes. */
export class RetainedQueue extends Queue {
  constructor(scope: Construct, id: string, props: RetainedQueueProps = {}) {
    super(scope, id, {
      ...props,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
