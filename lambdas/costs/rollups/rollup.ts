/** Cost rollups: sums of an organization's log entries by period and dimension. */
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { type Period, periods, periodText } from './period.ts';
import type { Totals } from './totals.ts';

/** Rows of every dimension are grouped by provider, service tier and model; rows of this dimension by nothing else. */
export const totalsDimension = 'model';

export const dimensions = [totalsDimension, 'api_key', 'prompt_id', 'session_id', 'user_id'] as const;

export type Dimension = (typeof dimensions)[number];

/** Largest period first. Only totals have rows by minute, since other dimensions may have a new value per request. */
export function periodsOf(dimension: Dimension): readonly Period[] {
  return dimension === totalsDimension ? periods : periods.slice(0, -1);
}

/**
 * Entries are usually counted about a second after they were written, and no later than this time unless the rollup
 * function is delayed.
 */
export const rollupDelayMs = 5 * 60_000;

const logShardsPerTotalsShard = 8;

/**
 * Maps a log shard to a write shard, which spreads an organization's rows over partition keys as log shards spread its
 * entries. A stream batch writes few rows of totals, so several log shards share a write shard. In the other dimensions it
 * may write a row for each entry, so each log shard has its own.
 */
export function writeShardOf(dimension: Dimension, shard: number): number {
  return dimension === totalsDimension ? Math.floor(shard / logShardsPerTotalsShard) : shard;
}

export function writeShardCount(dimension: Dimension, logShards: number): number {
  return writeShardOf(dimension, logShards - 1) + 1;
}

/** Identifies a rollup row within a generation. */
export interface RollupKey {
  organizationId: string;
  dimension: Dimension;
  period: Period;
  writeShard: number;
  /** Formatted by `periodText`. */
  periodStart: string;
  /** The caller's value or the API key's id; `null` in the totals. */
  value: string | null;
  provider: string;
  /** `null` for requests whose response names no tier. */
  serviceTier: string | null;
  model: string;
}

export interface CostRollup {
  startMs: number;
  provider: string;
  serviceTier: string | null;
  model: string;
  value: string | null;
  totals: Totals;
}

/** A single entry as a rollup; `null` when it cannot have a cost or has no value in the dimension. */
export function rollupOf(entry: LogEntry, dimension: Dimension): CostRollup | null {
  const { provider, model, service_tier: serviceTier } = entry;
  const value = dimensionValue(entry, dimension);
  if (!reachedProvider(entry) || provider === null || model === null) return null;
  if (dimension !== totalsDimension && value === null) return null;
  const startMs = Date.parse(entry.created_at);
  return { startMs, provider, serviceTier, model, value, totals: totalsOf(entry) };
}

/** The keys of all rows that include the entry; empty when it cannot have a cost. */
export function rollupKeysOf(entry: LogEntry): RollupKey[] {
  const { organization_id: organizationId, id } = entry;
  return dimensions.flatMap((dimension) => {
    const rollup = rollupOf(entry, dimension);
    if (rollup === null) return [];
    const { startMs, provider, serviceTier, model, value } = rollup;
    const writeShard = writeShardOf(dimension, shardOfLogId(id));
    return periodsOf(dimension).map((period) => ({
      organizationId,
      dimension,
      period,
      writeShard,
      periodStart: periodText(period, startMs),
      value,
      provider,
      serviceTier,
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

export function totalsOf(entry: LogEntry): Totals {
  const isAssumed = entry.pricing === 'assumed';
  return {
    requests: 1,
    cost_usd: entry.cost_usd,
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    unpriced_requests: entry.pricing === 'unknown' ? 1 : 0,
    assumed_requests: isAssumed ? 1 : 0,
    assumed_cost_usd: isAssumed ? entry.cost_usd : '0',
  };
}
