import {
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { nullIfMissing } from '#cli/connection/aws-errors.ts';
import type { ResourceKind } from './kind.ts';

/** Visible messages, those in flight, and those whose delivery is delayed. */
const messageCounts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

export function createQueueKind(config: SQSClientConfig): ResourceKind {
  const client = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });

  async function countMessages(QueueUrl: string): Promise<number> {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...messageCounts] }),
    );
    return messageCounts.reduce((sum, name) => sum + Number(Attributes?.[name]), 0);
  }

  return {
    name: 'queue',
    exists: async (id) =>
      (await nullIfMissing(
        countMessages(id),
        /^(AWS\.SimpleQueueService\.)?(QueueDoesNotExist|NonExistentQueue)$/,
      )) !== null,
    // A missing count is NaN, so the queue is kept.
    findData: async (id) => ((await countMessages(id)) === 0 ? null : 'has messages'),
    async remove(QueueUrl) {
      await client.send(new DeleteQueueCommand({ QueueUrl }));
    },
  };
}
