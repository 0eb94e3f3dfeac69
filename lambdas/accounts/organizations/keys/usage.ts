/** How much API keys have been used, from the rollups by key, so that a request writes nothing for it. */
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { ascending } from '#lambdas/platform/merge-sorted.ts';
import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import {
  type RowPartition,
  readRowPage,
  rowPartitions,
  type UsageRow,
  type UsageScope,
} from './usage-rows.ts';

export interface KeyUsage {
  /** The UTC day of the last request if it is today or yesterday, else its UTC month; `null` before `usageStartMs`. */
  lastUsed: string | null;
  /** Like the others, since `usageStartMs`. */
  spentUsd: Usd;
  /** The part of `spentUsd` that is assumed or estimated. */
  uncertainUsd: Usd;
  requests: number;
  rejectedRequests: number;
  unpricedRequests: number;
}

export const noUsage: KeyUsage = {
  lastUsed: null,
  spentUsd: '0',
  uncertainUsd: '0',
  requests: 0,
  rejectedRequests: 0,
  unpricedRequests: 0,
};

/** The start of the last UTC month. */
export function usageStartMs(now: Date): number {
  return startOfPeriod('month', startOfPeriod('month', now.getTime()) - 1);
}

/** The months of the sums. */
export function usageMonths(now: Date) {
  const starts = [usageStartMs(now), startOfPeriod('month', now.getTime())];
  return starts.map((startMs) => ({ period: 'month' as const, startMs }));
}

/** Today and yesterday. */
export function usageDays(now: Date) {
  const todayMs = startOfPeriod('day', now.getTime());
  return [todayMs - dayMs, todayMs].map((startMs) => ({ period: 'day' as const, startMs }));
}

const maxConcurrentPartitions = 32;

/** By key. Requests count as soon as the rollups have counted them. Rejected ones are counted apart, and are no use. */
export async function readKeyUsage(
  table: CostRollupsTable,
  scope: UsageScope,
  keyIds: readonly string[],
  now: Date,
): Promise<Map<string, KeyUsage>> {
  const ids = keyIds.toSorted(ascending);
  const [first, last] = [ids.at(0), ids.at(-1)];
  const sums = new Map<string, UsageSums>();
  if (first === undefined || last === undefined) return new Map();
  const partitions = await rowPartitions(table, scope, [...usageMonths(now), ...usageDays(now)]);
  await forEachConcurrently(partitions, maxConcurrentPartitions, async (partition) => {
    for (const row of await readRows(table, partition, { ids, first, last })) {
      const sum = sums.get(row.keyId) ?? { ...noSums };
      addRow(sum, partition, row);
      sums.set(row.keyId, sum);
    }
  });
  return new Map([...sums].map(([keyId, sum]) => [keyId, toUsage(sum)]));
}

const maxConcurrentKeys = 8;
/** Models and tiers of a key, and some rows of other keys between two that are listed one after the other. */
const expectedRowsPerKey = 8;

interface SortedIds {
  ids: readonly string[];
  first: string;
  last: string;
}

/** With a single query if few rows of other keys are between those of these keys, as on a page in the order of creation. */
async function readRows(
  table: CostRollupsTable,
  partition: RowPartition,
  { ids, first, last }: SortedIds,
): Promise<UsageRow[]> {
  const limit = expectedRowsPerKey * ids.length;
  const { rows, next, lastKeyId } = await readRowPage(table, { ...partition, first, last, limit });
  // The page may have only some rows of its last key.
  const complete = next === undefined ? rows : rows.filter(({ keyId }) => keyId !== lastKeyId);
  const found = complete.filter(({ keyId }) => ids.includes(keyId));
  const remaining = next === undefined || lastKeyId === null ? [] : ids.filter((id) => id >= lastKeyId);
  await forEachConcurrently(remaining, maxConcurrentKeys, async (id) => {
    let from: typeof next;
    do {
      const page = await readRowPage(table, { ...partition, first: id, last: id, from });
      found.push(...page.rows);
      from = page.next;
    } while (from !== undefined);
  });
  return found;
}

/** Amounts are in the units of `toUnits`. */
const noSums = {
  lastDayMs: null as number | null,
  lastMonthMs: null as number | null,
  spentUnits: 0n,
  uncertainUnits: 0n,
  requests: 0,
  rejectedRequests: 0,
  unpricedRequests: 0,
};

type UsageSums = typeof noSums;

function addRow(sum: UsageSums, { partition, startMs }: RowPartition, { totals }: UsageRow): void {
  if (partition.period === 'month') sum.rejectedRequests += totals.rejected_requests;
  if (totals.requests + totals.fallback_attempts === 0) return;
  if (partition.period === 'day') {
    sum.lastDayMs = Math.max(startMs, sum.lastDayMs ?? 0);
    return;
  }
  sum.lastMonthMs = Math.max(startMs, sum.lastMonthMs ?? 0);
  sum.spentUnits += toUnits(totals.cost_usd);
  sum.uncertainUnits += toUnits(totals.assumed_cost_usd) + toUnits(totals.estimated_cost_usd);
  sum.requests += totals.requests;
  sum.unpricedRequests += totals.unpriced_requests;
}

function toUsage({ lastDayMs, lastMonthMs, spentUnits, uncertainUnits, ...counts }: UsageSums): KeyUsage {
  const month = lastMonthMs === null ? null : periodText('month', lastMonthMs);
  return {
    lastUsed: lastDayMs === null ? month : periodText('day', lastDayMs),
    spentUsd: fromUnits(spentUnits),
    uncertainUsd: fromUnits(uncertainUnits),
    ...counts,
  };
}
