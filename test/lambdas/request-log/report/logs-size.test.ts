/** How long a page of the log may be. */
import { describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createLogsEndpoint } from '#lambdas/request-log/report/endpoints.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/memory-log-entries.ts';

/** The longest that callers can make them: each character is escaped in JSON, and once more around the body. */
const longest = Array.from({ length: 1000 }, (_, index) =>
  logEntry({
    id: createLogId(Date.UTC(2026, 0, 31, 9, 30) + index),
    model: '\u0001'.repeat(249),
    response_model: '\u0001'.repeat(128),
    prompt_id: '"'.repeat(256),
    session_id: '"'.repeat(256),
    user_id: '"'.repeat(256),
  }),
);

const ask = (limit: number) =>
  createLogsEndpoint({
    logEntries: memoryLogEntries(longest).reader,
    logAccessOf: async () => ({ shards: 1, cursorKey: '' }),
  })({
    organizationId: 'org_AAAAAAAAAAAAAAAA',
    query: { limit: [String(limit)] },
    id: '',
  });

describe('a page that is longer than a function can answer', () => {
  it('is refused, and says what to change', async () => {
    await expect(ask(1000)).rejects.toMatchObject({ status: 400, param: 'limit' });
  });

  it('is none with half as many entries', async () => {
    expect(await ask(500)).toMatchObject({ limit: 500, has_more: true });
  });
});
