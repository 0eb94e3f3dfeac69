import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../lambdas/shared/domain/log-entry.ts';
import { totalsOf } from '../../../lambdas/shared/domain/rollup.ts';
import { addTotals, noTotals } from '../../../lambdas/shared/domain/totals.ts';
import { logEntry } from '../../support/log-entries.ts';
import { audit } from './audit.ts';
import type { ReceivedCall } from './counting-provider.ts';

const usage = { prompt_tokens: 19, completion_tokens: 5, total_tokens: 24 };
const counted = { input_tokens: 19, output_tokens: 5, retries: null };

function call(mark: string, differences: Partial<ReceivedCall> = {}): ReceivedCall {
  return {
    mark,
    attempt: 1,
    stream: true,
    apiKey: 'sk-1',
    usage,
    statesUsage: true,
    ended: 'answered',
    ...differences,
  };
}

function entryOf(mark: string, differences: Partial<LogEntry> = {}): LogEntry {
  return logEntry({ session_id: mark, ...counted, ...differences });
}

const costsOf = (entries: readonly LogEntry[]) => entries.map(totalsOf).reduce(addTotals, noTotals);

/** Of two requests, of which the entries are these. */
function findingsOf(entries: LogEntry[], calls: ReceivedCall[] = [call('a-1'), call('a-2')]) {
  return audit({
    calls: Map.groupBy(calls, ({ mark }) => mark),
    entries,
    costs: costsOf(entries),
    wrongRows: 0,
  });
}

const nothingWrong = { received: 2, entries: 2, interrupted: 0, lost: 0, doubled: 0, wrong: [] };

describe('the audit', () => {
  it('finds nothing where each request has its entry', () => {
    expect(findingsOf([entryOf('a-1'), entryOf('a-2')])).toEqual(nothingWrong);
  });

  it('counts a request without an entry as lost', () => {
    expect(findingsOf([entryOf('a-1')])).toEqual({ ...nothingWrong, entries: 1, lost: 1 });
  });

  it('counts a second entry of a request as doubled', () => {
    const entries = [entryOf('a-1'), entryOf('a-2'), entryOf('a-2')];
    expect(findingsOf(entries)).toEqual({ ...nothingWrong, entries: 3, doubled: 1 });
  });

  it('counts an entry of no request as doubled', () => {
    const entries = [entryOf('a-1'), entryOf('a-2'), entryOf('a-3')];
    expect(findingsOf(entries)).toEqual({ ...nothingWrong, doubled: 1 });
  });

  it('takes an announced request that did not reach the provider for neither', () => {
    const entries = [entryOf('a-1'), entryOf('a-2'), entryOf('a-3', { outcome: 'interrupted' })];
    expect(findingsOf(entries)).toEqual({ ...nothingWrong, interrupted: 1 });
  });

  it('leaves out entries of requests that were refused', () => {
    const refused = entryOf('a-3', { outcome: 'rejected' });
    const entries = [entryOf('a-1'), entryOf('a-2')];
    const calls = Map.groupBy([call('a-1'), call('a-2')], ({ mark }) => mark);
    expect(audit({ calls, entries: [...entries, refused], costs: costsOf(entries), wrongRows: 0 })).toEqual(
      nothingWrong,
    );
  });

  it('finds tokens that are not those that the provider stated', () => {
    const entries = [entryOf('a-1'), entryOf('a-2', { output_tokens: 6 })];
    expect(findingsOf(entries).wrong).toEqual(['a-2: 19 and 6 tokens, not 19 and 5']);
  });

  it('finds usage that was stated and is not known', () => {
    const unknown = { usage_source: 'missing', input_tokens: null, output_tokens: null } as const;
    const entries = [entryOf('a-1'), entryOf('a-2', unknown)];
    expect(findingsOf(entries).wrong).toEqual(['a-2: completed without the usage that the provider stated']);
    const late = entryOf('a-2', { ...unknown, outcome: 'timeout' });
    expect(findingsOf([entryOf('a-1'), late]).wrong).toEqual([]);
    const cut = [call('a-1'), call('a-2', { ended: 'cut_by_upstream' })];
    expect(findingsOf(entries, cut).wrong).toEqual([]);
  });

  it('finds a request that was sent again without a word', () => {
    const calls = [call('a-1'), call('a-2'), call('a-2', { attempt: 2 })];
    expect(findingsOf([entryOf('a-1'), entryOf('a-2')], calls).wrong).toEqual([
      'a-2: sent 2 times, with 0 retries',
    ]);
    expect(findingsOf([entryOf('a-1'), entryOf('a-2', { retries: 1 })], calls)).toEqual(nothingWrong);
  });

  it('takes a request that was sent again with another credential for no retry', () => {
    const calls = [call('a-1'), call('a-2'), call('a-2', { attempt: 2, apiKey: 'sk-2' })];
    expect(findingsOf([entryOf('a-1'), entryOf('a-2')], calls)).toEqual(nothingWrong);
  });

  it('finds costs that are not the sum of the entries, to the last digit', () => {
    const entries = [entryOf('a-1', { cost_usd: '0.1' }), entryOf('a-2', { cost_usd: '0.2' })];
    const calls = Map.groupBy([call('a-1'), call('a-2')], ({ mark }) => mark);
    const costs = { ...costsOf(entries), cost_usd: '0.30000000000000004' };
    expect(audit({ calls, entries, costs, wrongRows: 0 }).wrong).toEqual([
      'costs: cost_usd is 0.30000000000000004, and of the entries 0.3',
    ]);
    expect(audit({ calls, entries, costs: costsOf(entries), wrongRows: 2 }).wrong).toEqual([
      'costs: 2 rows are not the sums of their entries',
    ]);
  });
});
