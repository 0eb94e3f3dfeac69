/** The order of an organization's keys by what they have spent, from the rollups by key and month. */
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { descending } from '#lambdas/platform/merge-sorted.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { usageMonths } from './usage.ts';
import { type RowPage, readRowPage, rowPartitions, type UsageScope } from './usage-rows.ts';

export interface RankedKey {
  id: string;
  /** In the units of `toUnits`. */
  spentUnits: bigint;
}

export interface KeyRanking {
  /** The ones that spent most come first, at most `limits.keys`. */
  keys: RankedKey[];
  /** Whether it has all keys with requests. */
  complete: boolean;
}

interface RankingLimits {
  keys: number;
  /** After so many rows, no further page is read. */
  rows: number;
}

/** 10,000 keys have 40,000 rows if each has used two models in both months: 14 pages of 1 MB, one after the other. */
const rankingLimits: RankingLimits = { keys: 1000, rows: 50_000 };

const [firstId, lastId] = ['0', 'z'].map((character) => `key_${character.repeat(16)}`) as [string, string];
const maxConcurrentPartitions = 16;

export async function rankKeys(
  table: CostRollupsTable,
  scope: UsageScope,
  now: Date,
  limits = rankingLimits,
): Promise<KeyRanking> {
  const partitions = await rowPartitions(table, scope, usageMonths(now));
  const unitsById = new Map<string, bigint>();
  let rowsRead = 0;
  let isComplete = true;
  await forEachConcurrently(partitions, maxConcurrentPartitions, async (partition) => {
    let from: RowPage['next'];
    do {
      if (rowsRead >= limits.rows) {
        isComplete = false;
        return;
      }
      const page = await readRowPage(table, {
        ...partition,
        first: firstId,
        last: lastId,
        isConsistent: false,
        from,
      });
      for (const { keyId, totals } of page.rows) {
        if (totals.requests === 0) continue;
        unitsById.set(keyId, (unitsById.get(keyId) ?? 0n) + toUnits(totals.cost_usd));
      }
      rowsRead += page.rowsRead;
      from = page.next;
    } while (from !== undefined);
  });
  const ranked = [...unitsById].map(([id, spentUnits]) => ({ id, spentUnits })).sort(bySpending);
  return {
    keys: ranked.slice(0, limits.keys),
    complete: isComplete && ranked.length <= limits.keys,
  };
}

/** Keys with the same spending are in the order of their creation, the newest first. */
export function bySpending(one: RankedKey, other: RankedKey): number {
  if (one.spentUnits === other.spentUnits) return descending(one.id, other.id);
  return one.spentUnits > other.spentUnits ? -1 : 1;
}
