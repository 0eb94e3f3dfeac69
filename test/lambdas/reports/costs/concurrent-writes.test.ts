import { describe, expect, it } from 'vitest';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { noParameters } from './support/expected-costs.ts';
import { getCosts } from './support/get-costs-in-memory.ts';
import { createInMemoryCosts } from './support/in-memory-costs.ts';

const at = (text: string) => Date.parse(text);
const now = new Date('2026-02-01T12:00:00Z');
const entryAt = (time: string, user_id: string | null) =>
  logEntry({ id: createLogId(at(time)), user_id, cost_usd: '0.5', input_tokens: 1, output_tokens: 1 });
const first = entryAt('2026-01-31T09:30:00Z', 'ada');
const second = entryAt('2026-01-31T09:30:30Z', 'bob');

/** The second entry and its rollup rows appear from the second read on. */
function growingDependencies(): CostDependencies {
  const before = createInMemoryCosts({ entries: [first], logShards: 1, now }).dependencies;
  const after = createInMemoryCosts({ entries: [first, second], logShards: 1, now }).dependencies;
  let reads = 0;
  const current = () => {
    reads++;
    return reads === 1 ? before : after;
  };
  return {
    ...before,
    rollupReader: { ...before.rollupReader, read: (range) => current().rollupReader.read(range) },
    readEntries: (range) => current().readEntries(range),
  };
}

describe('GET /api/costs during writes', () => {
  it('lists a request that is in the totals but not yet in the groups under null', async () => {
    const response = await getCosts(growingDependencies(), {
      ...noParameters,
      group_by: 'user_id',
    });
    const one = { requests: 1, cost_usd: '0.5', input_tokens: 1, output_tokens: 1, unpriced_requests: 0 };
    expect(response).toMatchObject({
      total_requests: 2,
      groups: [
        { user_id: 'ada', ...one },
        { user_id: null, ...one },
      ],
      other: null,
    });
  });

  it('takes totals and groups by API key from the same rows', async () => {
    const response = await getCosts(growingDependencies(), {
      ...noParameters,
      group_by: 'api_key',
    });
    expect(response).toMatchObject({
      total_requests: 1,
      groups: [{ api_key_id: first.api_key_id, requests: 1 }],
    });
  });

  it('does not treat a period as expired when entries are written between its two reads', async () => {
    const parameters = { ...noParameters, start: at('2026-01-31T09:30:00.001Z') };
    const response = await getCosts(growingDependencies(), parameters);
    expect(response).toMatchObject({
      total_requests: 1,
      window: { start: '2026-01-31T09:30:00.001Z', rounded_to: null },
    });
  });

  it('takes totals and groups of partial hours from the same entries', async () => {
    const bounds = { start: at('2026-01-31T09:10:00Z'), end: at('2026-01-31T09:50:00Z') };
    const response = await getCosts(growingDependencies(), {
      ...noParameters,
      ...bounds,
      group_by: 'user_id',
    });
    expect(response).toMatchObject({ total_requests: 2, groups: [{ user_id: 'ada' }, { user_id: 'bob' }] });
  });
});
