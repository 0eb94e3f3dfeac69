import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMessageSender } from '../../../../lambdas/shared/stores/message-sender.ts';
import { startEmbeddedQueue } from '../../../support/embedded-queue.ts';
import { startSilentService } from '../../../support/silent-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const settings = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };

describe('a message', () => {
  it('is JSON of characters that SQS takes, and of all others as they were', async () => {
    const queue = await startEmbeddedQueue();
    cleanups.push(queue.stop);
    // SQS refuses U+FFFF as it is, which JSON may hold.
    const message = { plain: ' ~"\\', other: 'é\u007f\u2028\u{1f600}\uffff\ud800', control: '\n\u0000' };
    await createMessageSender({ ...settings, endpoint: queue.endpoint }).send(queue.url, message);
    const client = new SQSClient({ ...settings, endpoint: queue.endpoint });
    cleanups.push(() => client.destroy());
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: queue.url }));

    expect(Messages.map(({ Body }) => Body)).toEqual([
      String.raw`{"plain":" ~\"\\","other":"\u00e9\u007f\u2028\ud83d\ude00\uffff\ud800","control":"\n\u0000"}`,
    ]);
    expect(JSON.parse(Messages[0]?.Body ?? '')).toEqual(message);
  });

  it('is given up when the queue has not answered twice, a second each time', async () => {
    const service = await startSilentService();
    cleanups.push(service.stop);
    const sent = createMessageSender({ ...settings, endpoint: service.endpoint }).send(
      `${service.endpoint}/000000000000/Queue`,
      {},
    );

    await expect(sent).rejects.toMatchObject({ name: 'TimeoutError', $metadata: { attempts: 2 } });
    expect(service.requests()).toBe(2);
    expect(Date.now()).toBeGreaterThanOrEqual(2000);
    expect(Date.now()).toBeLessThan(3000);
  });

  it('is given up after three seconds, whatever takes so long', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const sent = createMessageSender({ ...settings, endpoint: 'http://127.0.0.1:1' }).send('Queue', {});

    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
    expect(timeout.mock.calls).toEqual([[3000]]);
  });
});
