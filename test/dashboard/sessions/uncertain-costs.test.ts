import { describe, expect, it } from 'vitest';
import { cumulativeUncertainty } from '#dashboard/sessions/uncertain-costs.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { uncertainShare } from '#lambdas/request-log/uncertainty.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const certainties: Partial<LogEntry>[] = [
  {},
  { pricing: 'assumed' },
  { usage_source: 'estimated' },
  { pricing: 'unknown', cost_usd: '0' },
];

function sessionOf(entries: readonly Partial<LogEntry>[]) {
  let cumulative = '0';
  return entries.map((fields) => {
    const entry = logEntry(fields);
    cumulative = addUsd(cumulative, entry.cost_usd);
    return { ...entry, cumulative_cost_usd: cumulative };
  });
}

describe('The uncertain part of the cost of a session', () => {
  it('is that of the requests up to each one', () => {
    const requests = sessionOf([
      { cost_usd: '0' },
      { cost_usd: '0.3' },
      { cost_usd: '0.1', usage_source: 'estimated' },
      { cost_usd: '0.000000000001', pricing: 'assumed' },
      { cost_usd: '0', pricing: 'unknown' },
      { cost_usd: '0.6' },
    ]);

    expect(cumulativeUncertainty(requests)).toEqual([
      { unpriced_requests: 0, assumed_requests: 0, estimated_requests: 0, uncertain_cost_share: null },
      { unpriced_requests: 0, assumed_requests: 0, estimated_requests: 0, uncertain_cost_share: 0 },
      { unpriced_requests: 0, assumed_requests: 0, estimated_requests: 1, uncertain_cost_share: 0.25 },
      { unpriced_requests: 0, assumed_requests: 1, estimated_requests: 1, uncertain_cost_share: 0.25 },
      { unpriced_requests: 1, assumed_requests: 1, estimated_requests: 1, uncertain_cost_share: 0.25 },
      { unpriced_requests: 1, assumed_requests: 1, estimated_requests: 1, uncertain_cost_share: 0.1 },
    ]);
    expect(cumulativeUncertainty([])).toEqual([]);
  });

  it('has at its end the counts and the share of all requests, in any order', () => {
    const entries = fc.array(fc.constantFrom(...certainties), { minLength: 1 });
    fc.assert(
      fc.property(entries, (session) => {
        const requests = sessionOf(session);
        const countOf = (fields: Partial<LogEntry> | undefined) =>
          session.filter((entry) => entry === fields).length;
        const costOf = (fields: Partial<LogEntry> | undefined) =>
          Array.from({ length: countOf(fields) }).reduce<string>(
            (sum) => addUsd(sum, logEntry().cost_usd),
            '0',
          );
        const [, assumed, estimated, unpriced] = certainties;

        expect(cumulativeUncertainty(requests).at(-1)).toEqual({
          unpriced_requests: countOf(unpriced),
          assumed_requests: countOf(assumed),
          estimated_requests: countOf(estimated),
          uncertain_cost_share: uncertainShare({
            cost_usd: requests.at(-1)?.cumulative_cost_usd ?? '0',
            assumed_cost_usd: costOf(assumed),
            estimated_cost_usd: costOf(estimated),
          }),
        });
      }),
    );
  });
});
