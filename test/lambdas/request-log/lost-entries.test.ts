import { expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createLogEntryQueue, readLostEntry } from '#lambdas/request-log/lost-entries.ts';
import { logEntry } from '#test/support/log-entries.ts';

it('sends entries in a form from which they are read as they were', async () => {
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

it('fails when the queue does not take the entry', async () => {
  const sender = { send: () => Promise.reject(new Error('no')) };
  const queue = createLogEntryQueue({ queueUrl: 'https://sqs.example.com/1/LostEntries', sender });

  await expect(queue.send(logEntry())).rejects.toThrow('no');
});

it.each(['', 'secret', '[]', '{}', '{"entry":"secret"}', '{"entry":{"id":"secret"}}'])(
  'does not take %s for an entry, and quotes nothing of it',
  (body) => {
    expect(() => readLostEntry(body)).toThrow(/^(?!.*secret)/);
  },
);
