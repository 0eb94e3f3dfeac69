/** What an answer says of requests that are written and counted while it is made. */
import { describe, expect, it } from 'vitest';
import type { CostDependencies } from '#lambdas/costs/report/read.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { askSources } from './ask-memory.ts';
import { createMemorySources } from './memory-sources.ts';
import { nothingAsked } from './summed-costs.ts';

const at = (text: string) => Date.parse(text);
const now = new Date('2026-02-01T12:00:00Z');
const entryAt = (time: string, user_id: string | null) =>
  logEntry({ id: createLogId(at(time)), user_id, cost_usd: '0.5', input_tokens: 1, output_tokens: 1 });
const first = entryAt('2026-01-31T09:30:00Z', 'ada');
const second = entryAt('2026-01-31T09:30:30Z', 'bob');

/** The second entry is there, and counted, from the second read on. */
function growingSources(): CostDependencies {
  const before = createMemorySources({ entries: [first], logShards: 1, now }).sources;
  const after = createMemorySources({ entries: [first, second], logShards: 1, now }).sources;
  let reads = 0;
  const current = () => {
    reads++;
    return reads === 1 ? before : after;
  };
  return {
    ...before,
    rollups: { read: (range) => current().rollups.read(range) },
    readEntries: (range) => current().readEntries(range),
  };
}

describe('an answer that is made while requests are counted', () => {
  it('has no more in its groups than in its totals: the newest may stand under none', async () => {
    const answer = await askSources(growingSources(), {
      ...nothingAsked,
      group_by: 'user_id',
    });
    const one = { requests: 1, cost_usd: '0.5', input_tokens: 1, output_tokens: 1, unpriced_requests: 0 };
    expect(answer).toMatchObject({
      total_requests: 2,
      groups: [
        { user_id: 'ada', ...one },
        { user_id: null, ...one },
      ],
      other: null,
    });
  });

  it('takes groups and totals of keys from the same sums', async () => {
    const answer = await askSources(growingSources(), {
      ...nothingAsked,
      group_by: 'api_key',
    });
    expect(answer).toMatchObject({
      total_requests: 1,
      groups: [{ api_key_id: first.api_key_id, requests: 1 }],
    });
  });

  it('does not take entries for expired that came between the two reads of a span', async () => {
    const asked = { ...nothingAsked, start: at('2026-01-31T09:30:00.001Z') };
    const answer = await askSources(growingSources(), asked);
    expect(answer).toMatchObject({
      total_requests: 1,
      window: { start: '2026-01-31T09:30:00.001Z', rounded_to: null },
    });
  });

  it('takes totals and groups of the hours that are cut from the same entries', async () => {
    const bounds = { start: at('2026-01-31T09:10:00Z'), end: at('2026-01-31T09:50:00Z') };
    const answer = await askSources(growingSources(), {
      ...nothingAsked,
      ...bounds,
      group_by: 'user_id',
    });
    expect(answer).toMatchObject({ total_requests: 2, groups: [{ user_id: 'ada' }, { user_id: 'bob' }] });
  });
});
