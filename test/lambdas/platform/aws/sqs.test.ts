import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createMessageSender, type MessageSender } from '#lambdas/platform/aws/sqs.ts';
import { startEmbeddedQueue } from '#test/support/aws/embedded-queue.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';
import { startSilentService } from '#test/support/http/silent-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function senderTo(endpoint: string): MessageSender {
  return createMessageSender(
    createJsonService({ service: 'sqs', access: awsAccessAt(endpoint), now: () => new Date() }),
  );
}

describe('createMessageSender', () => {
  it('escapes the characters that SQS rejects, and the message arrives unchanged', async () => {
    const queue = await startEmbeddedQueue();
    cleanups.push(queue.stop);
    // SQS rejects an unescaped U+FFFF, which is valid in JSON.
    const message = { plain: ' ~"\\', other: 'é\u007f\u2028\u{1f600}\uffff\ud800', control: '\n\u0000' };
    await senderTo(queue.endpoint).send(queue.url, message);
    const { region, credentials } = awsAccessAt(queue.endpoint);
    const client = new SQSClient({ endpoint: queue.endpoint, region, credentials });
    cleanups.push(() => client.destroy());
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: queue.url }));

    expect(Messages.map(({ Body }) => Body)).toEqual([
      String.raw`{"plain":" ~\"\\","other":"\u00e9\u007f\u2028\ud83d\ude00\uffff\ud800","control":"\n\u0000"}`,
    ]);
    expect(JSON.parse(Messages[0]?.Body ?? '')).toEqual(message);
  });

  it('rejects when the queue has not responded after three seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService();
    cleanups.push(service.stop);
    const sent = senderTo(service.endpoint).send(`${service.endpoint}/000000000000/Queue`, {});

    await expect(sent).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(service.requests()).toBe(2);
    expect(Date.now()).toBeGreaterThanOrEqual(3000);
    expect(Date.now()).toBeLessThan(3500);
  });

  it('rejects when the queue does not exist', async () => {
    const queue = await startEmbeddedQueue();
    cleanups.push(queue.stop);
    const sent = senderTo(queue.endpoint).send(`${queue.url}Other`, {});

    await expect(sent).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
      $metadata: { httpStatusCode: 400 },
    });
  });
});
