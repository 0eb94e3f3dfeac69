/** The invariants after every fault: each request that reached the provider has one entry, and costs are their sum. */
import { rollupOf, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import type { ReceivedCall } from './counting-provider.ts';

const reportedSums = [
  'requests',
  'cost_usd',
  'input_tokens',
  'output_tokens',
  'unpriced_requests',
  'assumed_requests',
  'assumed_cost_usd',
] as const satisfies readonly (keyof Totals)[];

type ReportedSum = (typeof reportedSums)[number];

export interface Observations {
  /** Keys are correlation ids. */
  calls: ReadonlyMap<string, readonly ReceivedCall[]>;
  /** `session_id` is the correlation id. */
  entries: readonly LogEntry[];
  costs: Pick<Totals, ReportedSum>;
  /** The number of rollups, of any window and dimension, that differ from the sum of their entries. */
  rollupDifferences: number;
}

export interface InvariantReport {
  /** Requests that reached the provider; retries are not counted. */
  received: number;
  /** Entries of requests that reached the provider. */
  entries: number;
  interrupted: number;
  lost: number;
  /** Entries beyond the first one of a request, and entries without a request. */
  duplicated: number;
  violations: string[];
}

export function checkInvariants(observations: Observations): InvariantReport {
  const { calls, entries } = observations;
  const forwarded = entries.filter(reachedProvider);
  const byCorrelationId = Map.groupBy(forwarded, ({ session_id }) => session_id ?? '');
  const known = forwarded.filter(({ session_id }) => calls.has(session_id ?? ''));
  const unknown = forwarded.filter(
    (entry) => !calls.has(entry.session_id ?? '') && !mayLackProviderCall(entry),
  );
  const correlationIds = [...calls.keys()];
  const duplicates = [...byCorrelationId.values()].reduce((sum, { length }) => sum + length - 1, 0);
  return {
    received: correlationIds.length,
    entries: known.length,
    interrupted: forwarded.filter(({ outcome }) => outcome === 'interrupted').length,
    lost: correlationIds.filter((correlationId) => !byCorrelationId.has(correlationId)).length,
    duplicated: duplicates + unknown.length,
    violations: [
      ...known.flatMap((entry) => findEntryViolations(entry, calls.get(entry.session_id ?? '') ?? [])),
      ...findCostViolations(observations),
    ],
  };
}

/** The function was killed, the connection has failed, or there was no time left to send the request. */
function mayLackProviderCall({ outcome }: LogEntry): boolean {
  return ['interrupted', 'provider_error', 'timeout', 'client_closed'].includes(outcome);
}

function findEntryViolations(entry: LogEntry, calls: readonly ReceivedCall[]): string[] {
  const { session_id: correlationId, outcome, usage_source, input_tokens, output_tokens } = entry;
  const last = calls.at(-1);
  if (last === undefined || outcome === 'interrupted') return [];
  const violations: string[] = [];
  const { prompt_tokens, completion_tokens } = last.usage;
  if (
    usage_source === 'provider' &&
    (input_tokens !== prompt_tokens || output_tokens !== completion_tokens)
  ) {
    violations.push(
      `${correlationId}: ${input_tokens} and ${output_tokens} tokens, not ${prompt_tokens} and ${completion_tokens}`,
    );
  }
  // After a timeout, the usage may have arrived too late.
  const usageWasReceived = last.reportsUsage && last.ended === 'completed' && outcome !== 'timeout';
  if (usage_source !== 'provider' && usageWasReceived) {
    violations.push(`${correlationId}: ${outcome} without the usage that the provider reported`);
  }
  // An attempt with another credential was rejected, which costs nothing and is not logged as a retry.
  const sent = calls.filter(({ apiKey }) => apiKey === last.apiKey).length;
  if (sent - 1 > (entry.retries ?? 0))
    violations.push(`${correlationId}: sent ${sent} times, with ${entry.retries ?? 0} retries`);
  return violations;
}

type CostObservations = Pick<Observations, 'entries' | 'costs'> & Partial<Observations>;

export function findCostViolations({ entries, costs, rollupDifferences = 0 }: CostObservations): string[] {
  const sum = sumTotals(entries.flatMap((entry) => rollupOf(entry, totalsDimension)?.totals ?? []));
  const violations = reportedSums
    .filter((name) => costs[name] !== sum[name])
    .map((name) => `costs: ${name} is ${costs[name]}, but the entries sum to ${sum[name]}`);
  return rollupDifferences === 0
    ? violations
    : [...violations, `costs: ${rollupDifferences} rollups differ from the sum of their entries`];
}
