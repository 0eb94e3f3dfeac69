/**
 * The invariants of limits after every fault: counters have spent what the entries cost, hold nothing any more, and admit
 * requests to all that is left.
 */
import type { RequestKey } from '#lambdas/access/directory.ts';
import { createAdmit, limitedOwnersOf } from '#lambdas/limits/admission.ts';
import { budgetPeriods } from '#lambdas/limits/budgets/budget.ts';
import type { AdmissionTable } from '#lambdas/limits/counters/admit.ts';
import {
  type CounterItem,
  kindOfPeriod,
  parseCounterItem,
  periodOfCounter,
  periodsAt,
  remainingOf,
  reservedUsd,
  unlimitedUsd,
} from '#lambdas/limits/counters/counter.ts';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { expiredAmountsOf, sumByPeriod } from '#lambdas/limits/counters/leases.ts';
import { activeTotal, expiredCountsOf } from '#lambdas/limits/rates/item-rates.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { addUsd, compareUsd, divideUsd, minUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';

export interface LimitObservations {
  apiKey: RequestKey;
  /** All entries of the organization, which has one key and one log shard. */
  entries: readonly LogEntry[];
  /** When the leases of killed functions have expired. */
  nowMs: number;
}

type CountersTable = Pick<AdmissionTable, 'calls' | 'tableName'>;

/** Makes requests of its own, which it cancels, if the counters are as the entries require. */
export async function findLimitViolations(
  table: CountersTable,
  observations: LimitObservations,
): Promise<string[]> {
  const { apiKey, entries, nowMs } = observations;
  const violations: string[] = [];
  const current = periodsAt(nowMs);
  let leftUsd = unlimitedUsd;
  for (const { scope } of limitedOwnersOf(apiKey)) {
    const owner = scope.keyId === null ? 'organization' : 'key';
    const item = await table.calls.get(table.tableName, counterItemKey(counterKey(scope)), 2000);
    const active = activeOf(item ?? {}, nowMs);
    if (active !== 0) violations.push(`${owner}: requests in progress: ${active}`);
    if (item?.id === undefined) continue;
    const counter = parseCounterItem(item);
    violations.push(...findCounterViolations(counter, entries, nowMs).map((text) => `${owner}: ${text}`));
    for (const kind of budgetPeriods) leftUsd = minUsd(leftUsd, leftIn(counter, entries, current[kind]));
  }
  return violations.length > 0 ? violations : findRefusals(table, observations, leftUsd);
}

function findCounterViolations(counter: CounterItem, entries: readonly LogEntry[], nowMs: number): string[] {
  const violations: string[] = [];
  const held = reservedUsd(counter, nowMs);
  if (held !== '0') violations.push(`${held} USD are reserved or pending`);
  const expired = sumByPeriod(expiredAmountsOf(counter.attributes, nowMs));
  const periods = new Set(entries.flatMap((entry) => Object.values(periodsOf(entry))));
  for (const period of periods) {
    const { spentUsd } = periodOfCounter(counter, period);
    const costUsd = costIn(entries, period);
    if (compareUsd(spentUsd, costUsd) !== 0)
      violations.push(`spent ${spentUsd} USD in ${period}, but the entries cost ${costUsd}`);
    const availableUsd = addUsd(remainingOf(counter, period), expired.get(period) ?? '0');
    const leftUsd = leftIn(counter, entries, period);
    if (compareUsd(availableUsd, leftUsd) !== 0)
      violations.push(`${availableUsd} USD are available in ${period}, not ${leftUsd}`);
  }
  return violations;
}

function periodsOf({ created_at }: LogEntry) {
  return periodsAt(Date.parse(created_at));
}

function costIn(entries: readonly LogEntry[], period: string): Usd {
  return entries
    .filter((entry) => Object.values(periodsOf(entry)).includes(period))
    .map(({ cost_usd }) => cost_usd)
    .reduce(addUsd, '0');
}

function leftIn({ limits }: CounterItem, entries: readonly LogEntry[], period: string): Usd {
  return subtractUsd(limits[kindOfPeriod(period)], costIn(entries, period));
}

/** One request can reserve all that is left, and so can as many as may be in progress at once. */
async function findRefusals(
  table: CountersTable,
  { apiKey, nowMs }: LimitObservations,
  leftUsd: Usd,
): Promise<string[]> {
  const now = () => new Date(nowMs);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const admit = createAdmit({ ...table, now, onFailure });
  const violations: string[] = [];
  const concurrent = apiKey.key_rate_limits?.concurrent ?? 1;
  for (const amounts of [[leftUsd], divideUsd(leftUsd, concurrent)]) {
    const requests = amounts.map((usd) => ({ apiKey, logShard: 0, receivedAtMs: nowMs, usd, tokens: 0 }));
    const results = await Promise.all(requests.map(admit));
    await Promise.all(results.map(({ lease }) => lease?.cancel()));
    const errors = results.flatMap(({ error }) => error?.message ?? []);
    if (errors.length > 0)
      violations.push(`${errors.length} of ${amounts.length} requests for ${leftUsd} USD: ${errors[0]}`);
  }
  return [...violations, ...failures.map((error) => `a counter cannot be written: ${error}`)];
}

/** The requests in progress, as they are counted: without the leases that have expired. */
function activeOf(item: Item, nowMs: number): number {
  const expired = expiredCountsOf(item, nowMs).map(({ count }) => count);
  return expired.reduce((total, count) => total - count, Number(item[activeTotal] ?? 0));
}
