import { describe, expect, it } from 'vitest';
import { createLogListEndpoint } from '#lambdas/reports/logs/endpoints.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/reports/memory-log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';

/** Entries of the maximum size: each character is escaped in the JSON body and again in Lambda's response. */
const largeEntries = Array.from({ length: 1000 }, (_, index) =>
  logEntry({
    id: createLogId(Date.UTC(2026, 0, 31, 9, 30) + index),
    model: '\u0001'.repeat(249),
    response_model: '\u0001'.repeat(128),
    service_tier: '"'.repeat(32),
    speed: '"'.repeat(32),
    inference_geo: '"'.repeat(32),
    region: '"'.repeat(32),
    prompt_id: '"'.repeat(256),
    session_id: '"'.repeat(256),
    user_id: '"'.repeat(256),
  }),
);

const listLogs = (limit: number) =>
  createLogListEndpoint({
    logEntries: memoryLogEntries(largeEntries).reader,
    logAccessOf: async () => ({ shards: 1, cursorKey: '' }),
    ...memoryRollups({ nowMs: Date.UTC(2026, 0, 31, 10) }).dependencies,
  })({
    apiKey: requestKey(),
    organizationId: 'org_AAAAAAAAAAAAAAAA',
    headers: {},
    query: { limit: [String(limit)] },
    pathId: '',
  });

describe('Large pages', () => {
  it('returns 400 and names the limit when the page exceeds the maximum response size', async () => {
    await expect(listLogs(1000)).rejects.toMatchObject({ status: 400, param: 'limit' });
  });

  it('returns a page of 500 entries of the maximum size', async () => {
    expect(await listLogs(500)).toMatchObject({ limit: 500, has_more: true });
  });
});
