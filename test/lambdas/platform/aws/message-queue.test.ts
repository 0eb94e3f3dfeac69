import { expect, it } from 'vitest';
import {
  deleteAfter,
  drainQueue,
  type MessageQueue,
  openMessageQueue,
  type QueueMessage,
} from '#lambdas/platform/aws/message-queue.ts';
import { startFakeAwsService } from '#test/support/aws/fake-service.ts';

/** Each `receive` call returns the next batch of message ids. */
function queueOf(...batches: string[][]) {
  const calls: string[] = [];
  let receives = 0;
  const queue: MessageQueue = {
    async receive() {
      receives += 1;
      return (batches.shift() ?? []).map(
        (id): QueueMessage => ({ id, body: id, receiptHandle: `${id} ${receives}` }),
      );
    },
    delete: async ({ receiptHandle }) => void calls.push(`delete ${receiptHandle}`),
    release: async ({ receiptHandle }) => void calls.push(`release ${receiptHandle}`),
    size: async () => 0,
  };
  return { queue, calls };
}

const signal = new AbortController().signal;
const leave = (...ids: string[]) => ({
  signal,
  handle: async ({ id }: QueueMessage) => (ids.includes(id) ? ('left' as const) : ('done' as const)),
});

it('deletes each message that is done and releases the others at the end', async () => {
  const { queue, calls } = queueOf(['a', 'b'], ['c']);
  await drainQueue(queue, leave('b'));
  expect(calls).toEqual(['delete a 1', 'delete c 2', 'release b 1']);
});

it('handles a redelivered message once and releases it with its last receipt handle', async () => {
  const { queue, calls } = queueOf(['a'], ['a', 'b'], ['a'], ['c']);
  await drainQueue(queue, leave('a'));
  expect(calls).toEqual(['delete b 2', 'release a 3']);
});

it('releases the received messages when the signal aborts', async () => {
  const { queue, calls } = queueOf(['a', 'b', 'c']);
  const controller = new AbortController();
  const handle = async () => {
    controller.abort();
    return 'done' as const;
  };
  await expect(drainQueue(queue, { signal: controller.signal, handle })).rejects.toThrow('aborted');
  expect(calls).toEqual(['delete a 1', 'release b 1', 'release c 1']);
});

it('releases the received messages when a handler fails', async () => {
  const { queue, calls } = queueOf(['a', 'b']);
  const handle = () => Promise.reject(new Error('The table is unavailable'));
  await expect(drainQueue(queue, { signal, handle })).rejects.toThrow('The table is unavailable');
  expect(calls).toEqual(['release a 1', 'release b 1']);
});

it('deletes after the work what was in the queue before it', async () => {
  const { queue, calls } = queueOf(['a', 'b'], ['c', 'a'], ['b'], ['d']);

  const deleted = await deleteAfter(queue, async () => void calls.push('work'));

  expect(deleted).toBe(3);
  expect(calls).toEqual(['work', 'delete a 2', 'delete b 3', 'delete c 2']);
});

it('releases what was in the queue before work that fails', async () => {
  const { queue, calls } = queueOf(['a', 'b']);
  const work = () => Promise.reject(new Error('The table is unavailable'));

  await expect(deleteAfter(queue, work)).rejects.toThrow('The table is unavailable');

  expect(calls).toEqual(['release a 1', 'release b 1']);
});

it('receives messages with a visibility timeout of five minutes', async () => {
  const service = await startFakeAwsService(() => ({ body: '{}' }));
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const config = { endpoint: service.endpoint, region: 'us-east-1', credentials };
  const messages = await openMessageQueue(config, `${service.endpoint}/queue`).receive();
  await service.stop();

  expect(messages).toEqual([]);
  expect(service.requests.map(({ operation, body }) => [operation, JSON.parse(body)])).toEqual([
    [
      'ReceiveMessage',
      {
        QueueUrl: `${service.endpoint}/queue`,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 300,
        WaitTimeSeconds: 1,
      },
    ],
  ]);
});
