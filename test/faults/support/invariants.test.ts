/** Fault injection passes when the check finds no violation, so the check must find each kind of mistake. */
import { expect, it } from 'vitest';
import { rollupOf } from '#lambdas/costs/rollups/rollup.ts';
import { sumTotals } from '#lambdas/costs/rollups/totals.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { ReceivedCall } from './counting-provider.ts';
import { checkInvariants } from './invariants.ts';

const usage = { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 };
const unknownUsage = { usage_source: 'missing', input_tokens: null, output_tokens: null } as const;

/** The provider received `a-1` once, which has a correct entry, and `a-2` once per element of `second`. */
function check(second: Partial<ReceivedCall>[], entries: Partial<LogEntry>[], costUsd?: string) {
  const call = {
    attempt: 1,
    stream: true,
    apiKey: 'sk-1',
    usage,
    reportsUsage: true,
    ended: 'completed',
  } as const;
  const calls = [
    { ...call, correlationId: 'a-1' },
    ...second.map((it) => ({ ...call, correlationId: 'a-2', ...it })),
  ];
  const counted = { input_tokens: 19, output_tokens: 5, retries: null, cost_usd: '0.1' };
  const written = [{ session_id: 'a-1' }, ...entries].map((it) => logEntry({ ...counted, ...it }));
  const costs = sumTotals(written.flatMap((entry) => rollupOf(entry, 'totals')?.totals ?? []));
  return checkInvariants({
    calls: Map.groupBy(calls, ({ correlationId }) => correlationId),
    entries: written,
    costs: costUsd === undefined ? costs : { ...costs, cost_usd: costUsd },
    rollupDifferences: 0,
  });
}

const matching = { session_id: 'a-2' };
const unknown = { session_id: 'a-3' };
const twice = [{}, { attempt: 2 }];

it.each<[string, Parameters<typeof check>, object]>([
  ['accepts one matching entry for each request', [[{}], [matching]], {}],
  ['reports a request without an entry as lost', [[{}], []], { entries: 1, lost: 1 }],
  [
    'reports two entries of a request as duplicated',
    [[{}], [matching, matching]],
    { entries: 3, duplicated: 1 },
  ],
  ['reports an entry without a request as duplicated', [[{}], [matching, unknown]], { duplicated: 1 }],
  [
    'accepts an interrupted entry of a request that was never sent',
    [[{}], [matching, { ...unknown, outcome: 'interrupted' }]],
    { interrupted: 1 },
  ],
  [
    'accepts an entry of a request that was not sent before its deadline',
    [[{}], [matching, { ...unknown, outcome: 'timeout' }]],
    {},
  ],
  ['accepts an entry of a rejected request', [[{}], [matching, { ...unknown, outcome: 'rejected' }]], {}],
  [
    'reports tokens that differ from those of the provider',
    [[{}], [{ ...matching, output_tokens: 6 }]],
    { violations: ['a-2: 19 and 6 tokens, not 19 and 5'] },
  ],
  [
    'reports a completed response whose reported usage is missing',
    [[{}], [{ ...matching, ...unknownUsage }]],
    { violations: ['a-2: completed without the usage that the provider reported'] },
  ],
  [
    'accepts a timed-out response without usage',
    [[{}], [{ ...matching, ...unknownUsage, outcome: 'timeout' }]],
    {},
  ],
  [
    'accepts a truncated response without usage',
    [[{ ended: 'closed_by_upstream' }], [{ ...matching, ...unknownUsage }]],
    {},
  ],
  [
    'reports a retry that was not logged',
    [twice, [matching]],
    { violations: ['a-2: sent 2 times, with 0 retries'] },
  ],
  ['accepts a retry that was logged', [twice, [{ ...matching, retries: 1 }]], {}],
  [
    'accepts a second attempt with another credential',
    [[{}, { attempt: 2, apiKey: 'sk-2' }], [matching]],
    {},
  ],
  [
    'reports costs that are not the sum of the entries',
    [[{}], [matching], '0.20000000000000001'],
    { violations: ['costs: cost_usd is 0.20000000000000001, but the entries sum to 0.2'] },
  ],
])('%s', (_behaviour, observations, difference) => {
  const noViolations = { received: 2, entries: 2, interrupted: 0, lost: 0, duplicated: 0, violations: [] };
  expect(check(...observations)).toEqual({ ...noViolations, ...difference });
});
