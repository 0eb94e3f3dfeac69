import { expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createLogEntryQueue, readLostEntry } from '#lambdas/request-log/lost-entries.ts';
import { logEntry } from '#test/support/log-entries.ts';

it('round-trips an entry through a queue message', async () => {
  const sent: [string, JsonObject][] = [];
  const queue = createLogEntryQueue({
    queueUrl: 'https://sqs.example.com/1/LostEntries',
    sender: { send: async (...message) => void sent.push(message) },
  });
  const entry = logEntry({ outcome: 'timeout', user_id: 'Ada 😀' });
  await queue.send(entry);

  expect(sent.map(([url]) => url)).toEqual(['https://sqs.example.com/1/LostEntries']);
  expect(readLostEntry(JSON.stringify(sent[0]?.[1]))).toEqual(entry);
});

it('rejects when the queue does not accept the entry', async () => {
  const sender = { send: () => Promise.reject(new Error('no')) };
  const queue = createLogEntryQueue({ queueUrl: 'https://sqs.example.com/1/LostEntries', sender });

  await expect(queue.send(logEntry())).rejects.toThrow('no');
});

it.each(['', 'secret', '[]', '{}', '{"entry":"secret"}', '{"entry":{"id":"secret"}}'])(
  'throws for the message body %j without quoting it',
  (body) => {
    expect(() => readLostEntry(body)).toThrow(/^(?!.*secret)/);
  },
);
