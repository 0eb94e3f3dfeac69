/** Shortens a queue's visibility timeout, a minute in the stack, so that messages are redelivered within seconds. */
import { GetQueueUrlCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

const visibilitySeconds = 1;

/** `queueUrl` is the one from the stack's outputs. The engine has another URL for the same queue name. */
export async function shortenVisibilityTimeout(engineEndpoint: string, queueUrl = ''): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint: engineEndpoint, region: 'us-east-1', credentials });
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queueUrl.split('/').at(-1) }));
  const Attributes = { VisibilityTimeout: String(visibilitySeconds) };
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  client.destroy();
}
