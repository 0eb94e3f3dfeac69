/** Pages of keys in the order of their spending or of their last use. */
import type { ApiKey, ApiKeyReader } from '#lambdas/access/directory.ts';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';
import { cursorError, isListed, type KeyFilter } from './filter.ts';
import { byRank, type KeyOrder, type KeyRanking, type RankedKey } from './ranking.ts';

interface RankedKeysQuery {
  organizationId: string;
  filter: KeyFilter;
  /** The key after which the page begins; `null` for the first page. */
  after: RankedKey | null;
  limit: number;
}

interface RankedKeys {
  apiKeys: ApiKey[];
  /** The key after which the next page begins; `null` on the last one. */
  next: RankedKey | null;
}

const chunkSize = 100;

export async function readRankedKeys(
  directory: ApiKeyReader,
  ranking: KeyRanking,
  { organizationId, filter, after, limit }: RankedKeysQuery,
  now: Date,
): Promise<RankedKeys> {
  const remaining = ranking.keys.filter((key) => after === null || byRank(after, key) < 0);
  const found: { apiKey: ApiKey; key: RankedKey }[] = [];
  for (const chunk of chunksOf(remaining, chunkSize)) {
    const ids = chunk.map(({ id }) => id);
    const apiKeys = await directory.findApiKeys(organizationId, ids);
    const byId = new Map(apiKeys.map((apiKey) => [apiKey.id, apiKey]));
    for (const key of chunk) {
      const apiKey = byId.get(key.id);
      if (apiKey !== undefined && isListed(apiKey, filter, now)) found.push({ apiKey, key });
    }
    // One key more than the page has shows whether there is a next page.
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  return {
    apiKeys: page.map(({ apiKey }) => apiKey),
    next: found.length > limit ? (page.at(-1)?.key ?? null) : null,
  };
}

const cursorPattern = /^(-?\d{1,20}(?:\.\d{1,12})?)~(key_[0-9A-Za-z]{16})$/;

/** The position is the rank, which the use of other keys does not move. */
export function writeRankingCursor(order: KeyOrder, { id, rank }: RankedKey): string {
  return `${order === 'spend' ? fromUnits(rank) : rank}~${id}`;
}

/** Throws a `GatewayError` (400). */
export function readRankingCursor(order: KeyOrder, text: string): RankedKey {
  const [, rank, id] = cursorPattern.exec(text) ?? [];
  if (rank === undefined || id === undefined) throw cursorError();
  if (order === 'spend') return { id, rank: toUnits(rank) };
  if (!/^\d+$/.test(rank)) throw cursorError();
  return { id, rank: BigInt(rank) };
}
