import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../lambdas/shared/domain/json.ts';
import { createLogEntryQueue, readLostEntry } from '../../../../lambdas/shared/stores/log-entry-queue.ts';
import { logEntry } from '../../../support/log-entries.ts';

it('sends entries in a form from which they are read as they were', async () => {
  const sent: [string, JsonObject][] = [];
  const queue = createLogEntryQueue({
    queueUrl: 'https://sqs.example.com/1/LostEntries',
    loadSender: async () => ({ send: async (...message) => void sent.push(message) }),
  });
  const entry = logEntry({ outcome: 'timeout', user_id: 'Ada 😀' });
  await queue.send(entry);

  expect(sent.map(([url]) => url)).toEqual(['https://sqs.example.com/1/LostEntries']);
  expect(readLostEntry(JSON.stringify(sent[0]?.[1]))).toEqual(entry);
});

it('loads what sends when the first entry has to be sent, and once', async () => {
  const loadSender = vi.fn(async () => ({ send: async () => {} }));
  const queue = createLogEntryQueue({ queueUrl: 'https://sqs.example.com/1/LostEntries', loadSender });
  const loadedBefore = loadSender.mock.calls.length;
  await queue.send(logEntry());
  await queue.send(logEntry());

  expect(loadedBefore).toBe(0);
  expect(loadSender).toHaveBeenCalledTimes(1);
});

it.each([
  ['does not take the entry', async () => ({ send: () => Promise.reject(new Error('no')) })],
  ['cannot be reached', () => Promise.reject(new Error('no'))],
])('fails when the queue %s', async (_, loadSender) => {
  const queue = createLogEntryQueue({ queueUrl: 'https://sqs.example.com/1/LostEntries', loadSender });

  await expect(queue.send(logEntry())).rejects.toThrow('no');
});

it.each(['', 'secret', '[]', '{}', '{"entry":"secret"}', '{"entry":{"id":"secret"}}'])(
  'does not take %s for an entry, and quotes nothing of it',
  (body) => {
    expect(() => readLostEntry(body)).toThrow(/^(?!.*secret)/);
  },
);
