/** How much API keys have been used, from the rollups by key, so that a request writes nothing for it. */
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { type CostRollup, isInCosts, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';
import { endOfPeriod, type Period, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';

export interface KeyUsage {
  /** The UTC day of the last request if it is today or yesterday, else its UTC month; `null` before `usageStartMs`. */
  lastUsed: string | null;
  /** Like the others, since `usageStartMs`. */
  spentUsd: Usd;
  /** The part of `spentUsd` that is assumed or estimated. */
  uncertainUsd: Usd;
  requests: number;
  unpricedRequests: number;
}

export const noUsage: KeyUsage = {
  lastUsed: null,
  spentUsd: '0',
  uncertainUsd: '0',
  requests: 0,
  unpricedRequests: 0,
};

export interface UsageScope {
  organizationId: string;
  logShards: number;
}

const dimension = 'api_key';
const maxConcurrentKeys = 8;

/** The start of the last UTC month. */
export function usageStartMs(now: Date): number {
  return startOfPeriod('month', startOfPeriod('month', now.getTime()) - 1);
}

/** By key. Requests count as soon as the rollups have counted them; rejected ones do not count. */
export async function readKeyUsage(
  table: CostRollupsTable,
  { organizationId, logShards }: UsageScope,
  keyIds: readonly string[],
  now: Date,
): Promise<Map<string, KeyUsage>> {
  const usage = new Map<string, KeyUsage>();
  if (keyIds.length === 0) return usage;
  const { generation } = await findRollupState(table, organizationId);
  const reader = createCostRollupReader(table);
  const nowMs = now.getTime();
  const readRows = async (value: string, period: Period, startMs: number) => {
    const window = { startMs, endMs: endOfPeriod(period, nowMs) };
    const writeShards = writeShardCount(dimension, logShards);
    const range = { organizationId, generation, dimension, period, writeShards, window, value } as const;
    const rows = await Array.fromAsync(reader.read(range));
    // A change of the service tier moves a request to another row.
    return rows.filter((row) => isInCosts(row, dimension) && row.totals.requests !== 0);
  };
  await forEachConcurrently(keyIds, maxConcurrentKeys, async (keyId) => {
    const [months, days] = await Promise.all([
      readRows(keyId, 'month', usageStartMs(now)),
      readRows(keyId, 'day', startOfPeriod('day', nowMs) - dayMs),
    ]);
    usage.set(keyId, toUsage(months, days));
  });
  return usage;
}

function toUsage(months: readonly CostRollup[], days: readonly CostRollup[]): KeyUsage {
  const sum = { spentUnits: 0n, uncertainUnits: 0n, requests: 0, unpricedRequests: 0 };
  for (const { totals } of months) {
    sum.spentUnits += toUnits(totals.cost_usd);
    sum.uncertainUnits += toUnits(totals.assumed_cost_usd) + toUnits(totals.estimated_cost_usd);
    sum.requests += totals.requests;
    sum.unpricedRequests += totals.unpriced_requests;
  }
  const { spentUnits, uncertainUnits, ...counts } = sum;
  return {
    lastUsed: lastPeriod('day', days) ?? lastPeriod('month', months),
    spentUsd: fromUnits(spentUnits),
    uncertainUsd: fromUnits(uncertainUnits),
    ...counts,
  };
}

function lastPeriod(period: Period, rows: readonly CostRollup[]): string | null {
  if (rows.length === 0) return null;
  return periodText(period, Math.max(...rows.map(({ startMs }) => startMs)));
}
