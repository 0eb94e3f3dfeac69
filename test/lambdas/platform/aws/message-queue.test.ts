import { expect, it } from 'vitest';
import {
  drainQueue,
  type MessageQueue,
  openMessageQueue,
  type QueueMessage,
} from '#lambdas/platform/aws/message-queue.ts';
import { startFakeAwsService } from '#test/support/fake-aws-service.ts';

/** Gives what it is told to, in this order, and then nothing. */
function queueOf(...receipts: string[][]) {
  const deeds: string[] = [];
  let receipt = 0;
  const queue: MessageQueue = {
    async receive() {
      receipt += 1;
      return (receipts.shift() ?? []).map((id) => ({ id, body: id, handle: `${id} ${receipt}` }));
    },
    delete: async ({ handle }) => void deeds.push(`delete ${handle}`),
    release: async ({ handle }) => void deeds.push(`release ${handle}`),
    size: async () => 0,
  };
  return { queue, deeds };
}

const signal = new AbortController().signal;
const leaving = (...left: string[]) => ({
  signal,
  handle: async ({ id }: QueueMessage) => (left.includes(id) ? ('left' as const) : ('done' as const)),
});

it('deletes each message when it is done with, and releases the others in the end', async () => {
  const { queue, deeds } = queueOf(['a', 'b'], ['c']);
  await drainQueue(queue, leaving('b'));
  expect(deeds).toEqual(['delete a 1', 'delete c 2', 'release b 1']);
});

it('handles what was left once, though it comes again, and releases it by its last receipt', async () => {
  const { queue, deeds } = queueOf(['a'], ['a', 'b'], ['a'], ['c']);
  await drainQueue(queue, leaving('a'));
  expect(deeds).toEqual(['delete b 2', 'release a 3']);
});

it('releases what it has received when it is stopped', async () => {
  const { queue, deeds } = queueOf(['a', 'b', 'c']);
  const controller = new AbortController();
  const handle = async () => {
    controller.abort();
    return 'done' as const;
  };
  await expect(drainQueue(queue, { signal: controller.signal, handle })).rejects.toThrow('aborted');
  expect(deeds).toEqual(['delete a 1', 'release b 1', 'release c 1']);
});

it('releases what it has received when a message cannot be handled', async () => {
  const { queue, deeds } = queueOf(['a', 'b']);
  const handle = () => Promise.reject(new Error('The table is away'));
  await expect(drainQueue(queue, { signal, handle })).rejects.toThrow('The table is away');
  expect(deeds).toEqual(['release a 1', 'release b 1']);
});

it('hides the messages that it receives from other commands for five minutes', async () => {
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
