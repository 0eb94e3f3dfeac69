/** Has a queue give out what was not processed after seconds, where the stack says a minute. */
import { GetQueueUrlCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

const visibilitySeconds = 1;

/** The queue is known to the stack by its URL, and to the engine by the last part of it. */
export async function hurryQueue(engineEndpoint: string, queueUrl = ''): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint: engineEndpoint, region: 'us-east-1', credentials });
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queueUrl.split('/').at(-1) }));
  const Attributes = { VisibilityTimeout: String(visibilitySeconds) };
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  client.destroy();
}
