/** The order of an organization's keys by what they have spent, from the rollups by key and month. */
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { isInCosts, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { descending } from '#lambdas/platform/merge-sorted.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { endOfPeriod } from '#lambdas/platform/period.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import { type UsageScope, usageStartMs } from './usage.ts';

export interface RankedKey {
  id: string;
  /** In the units of `toUnits`. */
  spentUnits: bigint;
}

export interface KeyRanking {
  /** The ones that spent most come first, at most `maxRankedKeys`. */
  keys: RankedKey[];
  /** Whether it has all keys with requests. */
  complete: boolean;
}

const maxRankedKeys = 1000;
const dimension = 'api_key';
const period = 'month';

export async function rankKeys(
  table: CostRollupsTable,
  { organizationId, logShards }: UsageScope,
  now: Date,
): Promise<KeyRanking> {
  const { generation } = await findRollupState(table, organizationId);
  const rows = createCostRollupReader(table).read({
    organizationId,
    generation,
    dimension,
    period,
    writeShards: writeShardCount(dimension, logShards),
    window: { startMs: usageStartMs(now), endMs: endOfPeriod(period, now.getTime()) },
  });
  const unitsById = new Map<string, bigint>();
  for await (const row of rows) {
    const { value, totals } = row;
    if (value === null || !isInCosts(row, dimension) || totals.requests === 0) continue;
    unitsById.set(value, (unitsById.get(value) ?? 0n) + toUnits(totals.cost_usd));
  }
  const ranked = [...unitsById].map(([id, spentUnits]) => ({ id, spentUnits })).sort(bySpending);
  return { keys: ranked.slice(0, maxRankedKeys), complete: ranked.length <= maxRankedKeys };
}

/** Keys with the same spending are in the order of their creation, the newest first. */
export function bySpending(one: RankedKey, other: RankedKey): number {
  if (one.spentUnits === other.spentUnits) return descending(one.id, other.id);
  return one.spentUnits > other.spentUnits ? -1 : 1;
}
