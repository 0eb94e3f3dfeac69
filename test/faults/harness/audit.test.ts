/** The fault suite is green when the audit finds nothing, so the audit has to find each kind of mistake. */
import { expect, it } from 'vitest';
import { totalsOf } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { audit } from './audit.ts';
import type { ReceivedCall } from './counting-provider.ts';

const usage = { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 };
const unknownUsage = { usage_source: 'missing', input_tokens: null, output_tokens: null } as const;

/** Two requests reached the provider: `a-1`, with its entry, and `a-2`, sent once for each of these differences. */
function findings(second: Partial<ReceivedCall>[], entries: Partial<LogEntry>[], costUsd?: string) {
  const call = {
    attempt: 1,
    stream: true,
    apiKey: 'sk-1',
    usage,
    statesUsage: true,
    ended: 'answered',
  } as const;
  const calls = [{ ...call, mark: 'a-1' }, ...second.map((it) => ({ ...call, mark: 'a-2', ...it }))];
  const counted = { input_tokens: 19, output_tokens: 5, retries: null, cost_usd: '0.1' };
  const written = [{ session_id: 'a-1' }, ...entries].map((it) => logEntry({ ...counted, ...it }));
  const forwarded = written.filter(({ outcome }) => outcome !== 'rejected');
  const costs = forwarded.map(totalsOf).reduce(addTotals, noTotals);
  return audit({
    calls: Map.groupBy(calls, ({ mark }) => mark),
    entries: written,
    costs: costUsd === undefined ? costs : { ...costs, cost_usd: costUsd },
    wrongRows: 0,
  });
}

const one = { session_id: 'a-2' };
const other = { session_id: 'a-3' };
const twice = [{}, { attempt: 2 }];

it.each<[string, Parameters<typeof findings>, object]>([
  ['each request with its entry', [[{}], [one]], {}],
  ['a request without an entry', [[{}], []], { entries: 1, lost: 1 }],
  ['two entries of a request', [[{}], [one, one]], { entries: 3, doubled: 1 }],
  ['an entry of no request', [[{}], [one, other]], { doubled: 1 }],
  [
    'an announced request that was not sent',
    [[{}], [one, { ...other, outcome: 'interrupted' }]],
    { interrupted: 1 },
  ],
  ['a refused request', [[{}], [one, { ...other, outcome: 'rejected' }]], {}],
  [
    'tokens that the provider did not state',
    [[{}], [{ ...one, output_tokens: 6 }]],
    { wrong: ['a-2: 19 and 6 tokens, not 19 and 5'] },
  ],
  [
    'a completed answer without the usage stated',
    [[{}], [{ ...one, ...unknownUsage }]],
    { wrong: ['a-2: completed without the usage that the provider stated'] },
  ],
  ['a late answer without usage', [[{}], [{ ...one, ...unknownUsage, outcome: 'timeout' }]], {}],
  ['a cut answer without usage', [[{ ended: 'cut_by_upstream' }], [{ ...one, ...unknownUsage }]], {}],
  ['a retry that was not logged', [twice, [one]], { wrong: ['a-2: sent 2 times, with 0 retries'] }],
  ['a retry that was logged', [twice, [{ ...one, retries: 1 }]], {}],
  ['a second attempt with another credential', [[{}, { attempt: 2, apiKey: 'sk-2' }], [one]], {}],
  [
    'costs that are not the sum',
    [[{}], [one], '0.20000000000000001'],
    { wrong: ['costs: cost_usd is 0.20000000000000001, and of the entries 0.2'] },
  ],
])('the audit judges %s', (_case, given, difference) => {
  const nothingWrong = { received: 2, entries: 2, interrupted: 0, lost: 0, doubled: 0, wrong: [] };
  expect(findings(...given)).toEqual({ ...nothingWrong, ...difference });
});
