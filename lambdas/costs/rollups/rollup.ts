/** Cost rollups are sums of the log entries of one organization by period and dimension. */
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { type Period, periods, periodText } from './period.ts';
import type { Totals } from './totals.ts';

/** Its rows are grouped by provider and model alone, as all rows are, so that together they are the totals. */
export const totalsDimension = 'model';

/** Sums are grouped by one of these, in addition to the provider and the model. */
export const dimensions = [totalsDimension, 'api_key', 'prompt_id', 'session_id', 'user_id'] as const;

export type Dimension = (typeof dimensions)[number];

/** Largest first. Only the totals are summed by minute: a caller's value may be another one in each request. */
export function periodsOf(dimension: Dimension): readonly Period[] {
  return dimension === totalsDimension ? periods : periods.slice(0, -1);
}

/** An entry is in its sums a second or so after it was written; after this time it is, unless the rollup function lags. */
export const rollupDelayMs = 5 * 60_000;

/** Log shards that share a write shard of the totals. */
const logShardsPerTotalsShard = 8;

/**
 * Write shards spread the rows of an organization over partition keys, as shards spread its entries. A batch of the stream
 * writes few rows of totals, so that some shards can share a write shard; of the other dimensions it may write one for each
 * entry, and there a write shard takes no more writes than the shard itself.
 */
export function writeShardOf(dimension: Dimension, shard: number): number {
  return dimension === totalsDimension ? Math.floor(shard / logShardsPerTotalsShard) : shard;
}

/** How many write shards there are: all of them have to be read. */
export function writeShardCount(dimension: Dimension, logShards: number): number {
  return writeShardOf(dimension, logShards - 1) + 1;
}

/** The row of a sum. */
export interface RollupKey {
  organizationId: string;
  dimension: Dimension;
  period: Period;
  writeShard: number;
  /** As `periodText` has it. */
  periodStart: string;
  /** `null` in the totals. */
  value: string | null;
  provider: string;
  model: string;
}

export interface CostRollup {
  startMs: number;
  provider: string;
  model: string;
  /** The caller's value or the id of the key; `null` in the totals. */
  value: string | null;
  totals: Totals;
}

/** One entry as a sum of a dimension; `null` where it cannot have a cost or has no value in the dimension. */
export function rollupOf(entry: LogEntry, dimension: Dimension): CostRollup | null {
  const { provider, model } = entry;
  const value = dimensionValue(entry, dimension);
  if (!reachedProvider(entry) || provider === null || model === null) return null;
  if (dimension !== totalsDimension && value === null) return null;
  return { startMs: Date.parse(entry.created_at), provider, model, value, totals: totalsOf(entry) };
}

/** The rows of all sums that an entry belongs to; none where it cannot have a cost. */
export function rollupKeysOf(entry: LogEntry): RollupKey[] {
  const { organization_id: organizationId, id } = entry;
  return dimensions.flatMap((dimension) => {
    const rollup = rollupOf(entry, dimension);
    if (rollup === null) return [];
    const { startMs, provider, model, value } = rollup;
    const writeShard = writeShardOf(dimension, shardOfLogId(id));
    return periodsOf(dimension).map((period) => ({
      organizationId,
      dimension,
      period,
      writeShard,
      periodStart: periodText(period, startMs),
      value,
      provider,
      model,
    }));
  });
}

function dimensionValue(entry: LogEntry, dimension: Dimension): string | null {
  switch (dimension) {
    case totalsDimension:
      return null;
    case 'api_key':
      return entry.api_key_id;
    case 'prompt_id':
    case 'session_id':
    case 'user_id':
      return entry[dimension];
    default:
      return dimension satisfies never;
  }
}

/** An entry that counts adds these to each of its sums. */
export function totalsOf(entry: LogEntry): Totals {
  return {
    requests: 1,
    cost_usd: entry.cost_usd,
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    unpriced_requests: entry.pricing === 'unknown' ? 1 : 0,
  };
}
