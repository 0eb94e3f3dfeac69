/** Changes a queue's visibility timeout, a minute in the stack, after which messages are redelivered. */
import { GetQueueUrlCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

/** `queueUrl` is the one from the stack's outputs. The engine has another URL for the same queue name. */
export async function setVisibilityTimeout(
  engineEndpoint: string,
  { queueUrl = '', seconds }: { queueUrl: string | undefined; seconds: number },
): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint: engineEndpoint, region: 'us-east-1', credentials });
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: queueUrl.split('/').at(-1) }));
  const Attributes = { VisibilityTimeout: String(seconds) };
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  client.destroy();
}
