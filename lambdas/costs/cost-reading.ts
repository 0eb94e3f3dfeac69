/** The two kinds of things that costs are made of, sums and entries, each read on the answer's budget. */
import type { CostBudget, CostItem } from '../shared/domain/cost-budget.ts';
import type { CostPlan } from '../shared/domain/cost-plan.ts';
import type { CostQuery } from '../shared/domain/cost-query.ts';
import type { LogEntry, StoredLogEntry } from '../shared/domain/log-entry.ts';
import type { Period } from '../shared/domain/period.ts';
import {
  type CostRollup,
  type CostRollupReader,
  type Dimension,
  laneCount,
  type RollupState,
} from '../shared/domain/rollup.ts';
import type { TimeWindow } from '../shared/domain/time-window.ts';
import { forEachAtOnce } from '../shared/domain/work-pool.ts';

export interface CostSources {
  logShardsOf(organizationId: string): Promise<number>;
  findRollupState(organizationId: string): Promise<RollupState>;
  rollups: CostRollupReader;
  /** What one shard has of the window, in pages, without what has expired. */
  readEntries(range: ShardRange): AsyncIterable<StoredLogEntry[]>;
  now(): Date;
}

export interface ShardRange {
  organizationId: string;
  shard: number;
  window: TimeWindow;
  /** Has to be told how many entries are read, those included that have expired: they cost the same. */
  lookedAt(count: number): void;
}

/** What stays the same throughout one answer. */
export interface CostReading {
  sources: CostSources;
  organizationId: string;
  query: CostQuery;
  plan: CostPlan;
  budget: CostBudget;
  logShards: number;
  generation: number;
  now: Date;
}

/** Enough to be quick where there are many, few enough for the connections that a client keeps. */
const shardsAtOnce = 16;

export interface SumsToRead {
  dimension: Dimension;
  period: Period;
  /** Whole periods. */
  window: TimeWindow;
  item: CostItem;
}

export async function readSums(reading: CostReading, wanted: SumsToRead): Promise<CostRollup[]> {
  const { sources, organizationId, generation, logShards, budget } = reading;
  const { item, ...range } = wanted;
  const lanes = laneCount(range.dimension, logShards);
  const sums: CostRollup[] = [];
  for await (const sum of sources.rollups.read({ organizationId, generation, lanes, ...range })) {
    budget.spend(item, 1);
    sums.push(sum);
  }
  return sums;
}

export interface EntriesToRead {
  window: TimeWindow;
  item: CostItem;
}

/** Hands over every entry of the window, from all shards, in no order: they are too many to keep whole. */
export async function eachEntry(
  reading: CostReading,
  { window, item }: EntriesToRead,
  take: (entry: LogEntry) => void,
): Promise<void> {
  const { sources, organizationId, logShards, budget } = reading;
  const shards = Array.from({ length: logShards }, (_, shard) => shard);
  await forEachAtOnce(shards, shardsAtOnce, async (shard) => {
    const lookedAt = (count: number) => budget.spend(item, count);
    for await (const page of sources.readEntries({ organizationId, shard, window, lookedAt })) {
      for (const { entry } of page) take(entry);
    }
  });
}
