/** What must be so after every fault: each request that reached the provider has one entry, and costs are their sum. */

import { totalsOf } from '#lambdas/costs/rollups/rollup.ts';
import { addTotals, noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import type { ReceivedCall } from './counting-provider.ts';

export interface Evidence {
  /** What the provider received, by mark. */
  calls: ReadonlyMap<string, readonly ReceivedCall[]>;
  /** Of the organization whose requests these were; the mark is an entry's session. */
  entries: readonly LogEntry[];
  /** What the gateway says that the organization's requests came to. */
  costs: Totals;
  /** How many rows of sums, of whatever span and value, are not what the entries come to. */
  wrongRows: number;
}

export interface Findings {
  /** Requests that reached the provider, each once however often it was sent. */
  received: number;
  /** Of requests that reached the provider. */
  entries: number;
  /** Entries of requests that were announced, and of which nobody knows the end. */
  interrupted: number;
  /** Requests that reached the provider and have no entry. */
  lost: number;
  /** Entries that a request has beside its one, or that no request has. */
  doubled: number;
  /** What else is wrong, in words. */
  wrong: string[];
}

export function audit(evidence: Evidence): Findings {
  const { calls, entries } = evidence;
  const forwarded = entries.filter(reachedProvider);
  const byMark = Map.groupBy(forwarded, ({ session_id }) => session_id ?? '');
  const known = forwarded.filter(({ session_id }) => calls.has(session_id ?? ''));
  const unknown = forwarded.filter((entry) => !calls.has(entry.session_id ?? '') && !mayBeUnknown(entry));
  const marks = [...calls.keys()];
  const extra = [...byMark.values()].reduce((sum, { length }) => sum + length - 1, 0);
  return {
    received: marks.length,
    entries: known.length,
    interrupted: forwarded.filter(({ outcome }) => outcome === 'interrupted').length,
    lost: marks.filter((mark) => !byMark.has(mark)).length,
    doubled: extra + unknown.length,
    wrong: [
      ...known.flatMap((entry) => wrongIn(entry, calls.get(entry.session_id ?? '') ?? [])),
      ...wrongCosts(evidence),
    ],
  };
}

/** A provider may be told of and not be reached: by a function that is killed in between, or by nobody's fault. */
function mayBeUnknown({ outcome }: LogEntry): boolean {
  return outcome === 'interrupted' || outcome === 'provider_error' || outcome === 'client_closed';
}

function wrongIn(entry: LogEntry, calls: readonly ReceivedCall[]): string[] {
  const { session_id: mark, outcome, usage_source, input_tokens, output_tokens } = entry;
  const last = calls.at(-1);
  if (last === undefined || outcome === 'interrupted') return [];
  const wrong: string[] = [];
  const { prompt_tokens, completion_tokens } = last.usage;
  if (
    usage_source === 'provider' &&
    (input_tokens !== prompt_tokens || output_tokens !== completion_tokens)
  ) {
    wrong.push(
      `${mark}: ${input_tokens} and ${output_tokens} tokens, not ${prompt_tokens} and ${completion_tokens}`,
    );
  }
  // What it sent may have come too late.
  const wasHeard = last.statesUsage && last.ended === 'answered' && outcome !== 'timeout';
  if (usage_source !== 'provider' && wasHeard) {
    wrong.push(`${mark}: ${outcome} without the usage that the provider stated`);
  }
  // Sent again with another credential it was refused before, which costs nothing and is no retry.
  const sent = calls.filter(({ apiKey }) => apiKey === last.apiKey).length;
  if (sent - 1 > (entry.retries ?? 0))
    wrong.push(`${mark}: sent ${sent} times, with ${entry.retries ?? 0} retries`);
  return wrong;
}

type Sums = Pick<Evidence, 'entries' | 'costs'> & Partial<Evidence>;

export function wrongCosts({ entries, costs, wrongRows = 0 }: Sums): string[] {
  const sum = entries.filter(reachedProvider).map(totalsOf).reduce(addTotals, noTotals);
  const names = Object.keys(sum) as (keyof Totals)[];
  const wrong = names
    .filter((name) => costs[name] !== sum[name])
    .map((name) => `costs: ${name} is ${costs[name]}, and of the entries ${sum[name]}`);
  return wrongRows === 0 ? wrong : [...wrong, `costs: ${wrongRows} rows are not the sums of their entries`];
}
