/**
 * Cost rollups: sums of the entries of one organization by span of time and dimension.
 *
 * `period.ts` has the spans, `totals.ts` what is summed.
 */

import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { type LogEntry, reachedProvider } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { type Period, periods, periodText } from './period.ts';
import type { Totals } from './totals.ts';

/** What sums are kept by, beside provider and model, which every row has. `model` is by those alone: the totals. */
export const dimensions = ['model', 'api_key', 'prompt_id', 'session_id', 'user_id'] as const;

export type Dimension = (typeof dimensions)[number];

/** Largest first. Only the totals are kept by the minute: a caller's value may be another one in each request. */
export function periodsOf(dimension: Dimension): readonly Period[] {
  return dimension === 'model' ? periods : periods.slice(0, -1);
}

/** Log shards that share a write shard of the totals. */
const logShardsPerTotalsShard = 8;

/**
 * Write shards spread the rows of an organization over partition keys, as shards spread its entries. A batch of the stream
 * writes few rows of totals, so that some shards can share a write shard; of the other dimensions it may write one for each
 * entry, and there a write shard takes no more writes than the shard itself.
 */
export function writeShardOf(dimension: Dimension, shard: number): number {
  return dimension === 'model' ? Math.floor(shard / logShardsPerTotalsShard) : shard;
}

/** How many write shards there are: all of them have to be read. */
export function writeShardCount(dimension: Dimension, logShards: number): number {
  return writeShardOf(dimension, logShards - 1) + 1;
}

/** Where a sum belongs. */
export interface RollupKey {
  organizationId: string;
  dimension: Dimension;
  period: Period;
  writeShard: number;
  /** As `periodText` has it. */
  periodStart: string;
  /** `null` in the dimension `model`. */
  value: string | null;
  provider: string;
  model: string;
}

export interface CostRollup {
  startMs: number;
  provider: string;
  model: string;
  /** The caller's value or the id of the key; `null` in the dimension `model`. */
  value: string | null;
  totals: Totals;
}

/** What an entry adds to its sum in a dimension; `null` where no cost can come from it or it has no such value. */
export function rollupOf(entry: LogEntry, dimension: Dimension): CostRollup | null {
  const { provider, model } = entry;
  const value = dimensionValue(entry, dimension);
  if (!reachedProvider(entry) || provider === null || model === null) return null;
  if (dimension !== 'model' && value === null) return null;
  return { startMs: Date.parse(entry.created_at), provider, model, value, totals: totalsOf(entry) };
}

/** All sums that an entry belongs to; none for one that no cost can come from. */
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
    case 'model':
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

/** What an entry that counts adds to each of its sums. */
export function totalsOf(entry: LogEntry): Totals {
  return {
    requests: 1,
    cost_usd: entry.cost_usd,
    input_tokens: entry.input_tokens ?? 0,
    output_tokens: entry.output_tokens ?? 0,
    unpriced_requests: entry.pricing === 'unknown' ? 1 : 0,
  };
}

/**
 * Which sets of rows there are: a rebuild makes a new one beside the one that is read. One with `fromMs` has of the
 * stream only what was written then or later; what is older was counted from the entries themselves.
 */
export interface RollupGeneration {
  generation: number;
  fromMs: number;
}

/** The generation that is read, and the one that is being built. */
export interface RollupState extends RollupGeneration {
  rebuild: RollupGeneration | null;
}

/** To which generations something belongs that the stream brings, by the time when it was written. */
export function generationsAt(state: RollupState, writtenAtMs: number): number[] {
  const all = state.rebuild === null ? [state] : [state, state.rebuild];
  return all.filter(({ fromMs }) => writtenAtMs >= fromMs).map(({ generation }) => generation);
}

export interface RollupRange {
  organizationId: string;
  generation: number;
  dimension: Dimension;
  period: Period;
  /** From `writeShardCount`. */
  writeShards: number;
  /** Whole periods. */
  window: TimeWindow;
}

export interface CostRollupReader {
  /** The rows of all write shards, in any order. */
  read(range: RollupRange): AsyncIterable<CostRollup>;
}

/** A change of one entry, and its place among those of its source. */
export interface RollupRecord {
  /** Among numbers of one source, the longer is the higher; those of one length sort as text. */
  sequenceNumber: string;
  entry: LogEntry;
  /** What the entry was until then; `null` when it is new. */
  before: LogEntry | null;
  writtenAtMs: number;
}

/** What is to be added to one row, in the order of the numbers. */
export interface RowAdditions {
  generation: number;
  key: RollupKey;
  additions: { sequenceNumber: string; totals: Totals }[];
}

/** Adds, and adds nothing twice: each row knows of each source up to which number it has been added. */
export interface CostRollupWriter {
  /**
   * Adds what the records change, in their order, to the rows of the generations that each belongs to. A source's
   * records come in the order of their numbers: whoever adds one has added all before it, in this call or in others.
   */
  add(
    source: string,
    records: RollupRecord[],
    generationsOf: (record: RollupRecord) => number[],
  ): Promise<void>;
  /** Adds sums for which there are no entries any more. */
  addToRows(source: string, rows: RowAdditions[]): Promise<void>;
}

/** Records of the stream that could not be read: they are left out of what the stream adds, for good. */
export interface QuarantinedRecords {
  /** The numbers of those between two, both of these included. Strongly consistent. */
  find(shardId: string, range: { first: string; last: string }): Promise<ReadonlySet<string>>;
  add(shardId: string, sequenceNumbers: readonly string[]): Promise<void>;
}
