/** The order of an organization's keys by what they have spent or by their last use, from the rollups by key. */
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { descending } from '#lambdas/platform/merge-sorted.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { usageDays, usageMonths } from './usage.ts';
import {
  type RowPage,
  type RowPartition,
  readRowPage,
  rowPartitions,
  type UsageScope,
} from './usage-rows.ts';

export interface RankedKey {
  id: string;
  /** The spending in the units of `toUnits`, or the start of the last day or month with requests in milliseconds since 1970. */
  rank: bigint;
}

export const keyOrders = ['spend', 'last_used'] as const;
export type KeyOrder = (typeof keyOrders)[number];

export interface KeyRanking {
  /** The ones with the highest rank come first, at most `limits.keys`. */
  keys: RankedKey[];
  /** Whether it has all keys with requests. */
  complete: boolean;
}

interface RankingLimits {
  keys: number;
  /** After so many rows, no further page is read. */
  rows: number;
}

/**
 * 10,000 keys have 40,000 rows if each has used two models in both months: 14 pages of 1 MB, one after the other. For the last use,
 * they have as many again if all are used every day.
 */
const rankingLimits: RankingLimits = { keys: 1000, rows: 50_000 };

const [firstId, lastId] = ['0', 'z'].map((character) => `key_${character.repeat(16)}`) as [string, string];
const maxConcurrentPartitions = 16;

export async function rankKeys(
  table: CostRollupsTable,
  scope: UsageScope,
  order: KeyOrder,
  now: Date,
  limits = rankingLimits,
): Promise<KeyRanking> {
  // The last use is known as exactly as it is shown.
  const periods = order === 'spend' ? usageMonths(now) : [...usageMonths(now), ...usageDays(now)];
  const partitions = await rowPartitions(table, scope, periods);
  const ranks = new Map<string, bigint>();
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
        if (totals.requests + totals.fallback_attempts === 0) continue;
        const rank = ranks.get(keyId) ?? 0n;
        ranks.set(keyId, order === 'spend' ? rank + toUnits(totals.cost_usd) : later(rank, partition));
      }
      rowsRead += page.rowsRead;
      from = page.next;
    } while (from !== undefined);
  });
  const ranked = [...ranks].map(([id, rank]) => ({ id, rank })).sort(byRank);
  return {
    keys: ranked.slice(0, limits.keys),
    complete: isComplete && ranked.length <= limits.keys,
  };
}

function later(rank: bigint, { startMs }: RowPartition): bigint {
  return rank > BigInt(startMs) ? rank : BigInt(startMs);
}

/** Keys with the same rank are in the order of their creation, the newest first. */
export function byRank(one: RankedKey, other: RankedKey): number {
  if (one.rank === other.rank) return descending(one.id, other.id);
  return one.rank > other.rank ? -1 : 1;
}
