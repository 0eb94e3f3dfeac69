import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import type { LocalGateway } from '#local/local-gateway.ts';

/** Sends a message that is no log entry to the queue of lost entries, where it stays. */
export async function sendLostEntryMessage({ connection }: LocalGateway, MessageBody: string): Promise<void> {
  const { dynamodb_endpoint: endpoint, region, outputs } = connection;
  const credentials = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
  const client = new SQSClient({ endpoint, region, credentials });
  await client.send(new SendMessageCommand({ QueueUrl: outputs.LostEntriesQueueUrl, MessageBody }));
  client.destroy();
}
