/** Cost rollups: sums of an organization's log entries by period and dimension. */

import { minuteMs } from '#lambdas/platform/duration.ts';
import { type Period, periods, periodText } from '#lambdas/platform/period.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { countedErrorCode } from '#lambdas/request-log/error-code.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import { entryTotals, rejectedTotals, type Totals } from './totals.ts';

/** Rows of every dimension are grouped by provider, operation, service tier and model; rows of this dimension by nothing else. */
export const totalsDimension = 'totals';

export const dimensions = [
  totalsDimension,
  'api_key',
  'prompt_id',
  'session_id',
  'user_id',
  'route',
  'error_code',
] as const;

export type Dimension = (typeof dimensions)[number];

/** Largest period first. Only totals have rows by minute, since other dimensions may have a new value per request. */
export function periodsOf(dimension: Dimension): readonly Period[] {
  switch (dimension) {
    case totalsDimension:
      return periods;
    case 'error_code':
      return ['day', 'hour'];
    default:
      return ['month', 'day', 'hour'];
  }
}

/** Most rows of sessions and users count few requests, so a histogram would cost more than it tells. A route shows those of its targets. */
export function hasHistograms(dimension: Dimension): boolean {
  return dimension === totalsDimension || dimension === 'api_key' || dimension === 'prompt_id';
}

/**
 * Entries are usually counted about a second after they were written, and no later than this time unless the rollup
 * function is delayed.
 */
export const rollupDelayMs = 5 * minuteMs;

const logShardsPerTotalsShard = 8;

/**
 * Maps a log shard to a write shard, which spreads an organization's rows over partition keys as log shards spread its
 * entries. A stream batch writes few rows of totals, so several log shards share a write shard. In the other dimensions it
 * may write a row for each entry, so each log shard has its own.
 */
export function writeShardOf(dimension: Dimension, logShard: number): number {
  return dimension === totalsDimension ? Math.floor(logShard / logShardsPerTotalsShard) : logShard;
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
  /** The caller's value, the API key's id or the error code; `null` in the totals. */
  value: string | null;
  /** Empty, like `model`, in rows of rejected requests, except that those by error code have the names that were requested. */
  provider: string;
  operation: OperationName;
  /** `null` for requests whose response names no tier. */
  serviceTier: string | null;
  model: string;
}

export interface CostRollup {
  startMs: number;
  provider: string;
  operation: OperationName;
  serviceTier: string | null;
  model: string;
  value: string | null;
  totals: Totals;
}

/** A single entry as a rollup; `null` when the dimension does not count it. */
export function rollupOf(entry: LogEntry, dimension: Dimension): CostRollup | null {
  const { provider, operation, model, service_tier: serviceTier } = entry;
  const value = dimensionValue(entry, dimension);
  const startMs = Date.parse(entry.created_at);
  if (dimension !== totalsDimension && value === null) return null;
  if (!reachedProvider(entry)) {
    const names = rejectionNames(entry, dimension);
    return names && { startMs, ...names, operation, serviceTier: null, value, totals: rejectedTotals(entry) };
  }
  if (provider === null || model === null) return null;
  const totals = entryTotals(entry, { withHistograms: hasHistograms(dimension) });
  return { startMs, provider, operation, serviceTier, model, value, totals };
}

/** The names in the row of a rejected request; `null` when the dimension has no such rows. */
function rejectionNames(
  { provider, model }: LogEntry,
  dimension: Dimension,
): Pick<CostRollup, 'provider' | 'model'> | null {
  if (dimension === 'error_code') return { provider: provider ?? '', model: model ?? '' };
  // No row for each name that callers invent: an entry's route exists.
  const dimensionsOfAll: readonly Dimension[] = [totalsDimension, 'api_key', 'route'];
  return dimensionsOfAll.includes(dimension) ? { provider: '', model: '' } : null;
}

/** False for rows of rejected requests, which have no costs and no model. Rows by error code may have both kinds. */
export function isInCosts({ totals }: CostRollup, dimension: Dimension): boolean {
  return dimension === 'error_code' || totals.rejected_requests === 0;
}

/** A row that includes an entry, and what the entry adds to it. */
export interface EntryAddition {
  key: RollupKey;
  totals: Totals;
}

/** One for each row that includes the entry, the largest period of each dimension first. */
export function additionsOf(entry: LogEntry): EntryAddition[] {
  return dimensions.flatMap((dimension) => {
    const rollup = rollupOf(entry, dimension);
    if (rollup === null) return [];
    return periodsOf(dimension).map((period) => ({
      key: rollupKeyOf(entry, rollup, dimension, period),
      totals: rollup.totals,
    }));
  });
}

function rollupKeyOf(
  { organization_id: organizationId, id }: LogEntry,
  { startMs, totals: _, ...names }: CostRollup,
  dimension: Dimension,
  period: Period,
): RollupKey {
  const writeShard = writeShardOf(dimension, shardOfLogId(id));
  const periodStart = periodText(period, startMs);
  return { organizationId, dimension, period, writeShard, periodStart, ...names };
}

function dimensionValue(entry: LogEntry, dimension: Dimension): string | null {
  switch (dimension) {
    case totalsDimension:
      return null;
    case 'api_key':
      return entry.api_key_id;
    case 'error_code':
      return countedErrorCode(entry);
    case 'prompt_id':
    case 'session_id':
    case 'user_id':
    case 'route':
      return entry[dimension];
    default:
      return dimension satisfies never;
  }
}
