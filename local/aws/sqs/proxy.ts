import { type AwsCall, sendAwsError, sendAwsJson, sendUnknownOperation } from '../call.ts';
import { connectToEngine, forwardResponse } from '../engine-connection.ts';
import type { Queue } from './queues.ts';

export interface SqsProxy {
  handle(call: AwsCall): Promise<void>;
  close(): void;
}

/**
 * IAM action that each operation requires on its queue. Batch operations require the action of the single operation.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
 */
const actions: Record<string, string> = {
  ChangeMessageVisibility: 'ChangeMessageVisibility',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
  DeleteMessage: 'DeleteMessage',
  DeleteMessageBatch: 'DeleteMessage',
  GetQueueAttributes: 'GetQueueAttributes',
  GetQueueUrl: 'GetQueueUrl',
  PurgeQueue: 'PurgeQueue',
  ReceiveMessage: 'ReceiveMessage',
  SendMessage: 'SendMessage',
  SendMessageBatch: 'SendMessage',
};

export function createSqsProxy(settings: { engineEndpoint: string; queues: readonly Queue[] }): SqsProxy {
  const engine = connectToEngine(settings.engineEndpoint);
  return {
    close: engine.close,
    async handle(call) {
      const { operation, body, response } = call;
      const action = actions[operation];
      if (action === undefined) return sendUnknownOperation(response, `sqs:${operation}`);
      const queue = settings.queues.find(({ url, name }) => body.QueueUrl === url || body.QueueName === name);
      const resource = queue?.arn ?? String(body.QueueUrl ?? body.QueueName);
      if (!call.authorize([{ action: `sqs:${action}`, resource }])) return;
      if (queue === undefined) return sendNoSuchQueue(call);
      if (operation === 'GetQueueUrl') return sendAwsJson(response, { QueueUrl: queue.url });
      const engineBody = JSON.stringify({ ...body, QueueUrl: queue.engineUrl });
      await forwardResponse(await engine.send(call, Buffer.from(engineBody)), call);
    },
  };
}

function sendNoSuchQueue({ response }: AwsCall): void {
  const message = 'The specified queue does not exist.';
  sendAwsError(response, { status: 400, type: 'com.amazonaws.sqs#QueueDoesNotExist', message });
}
