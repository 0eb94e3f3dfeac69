/** The two kinds of things that costs are made of, sums and entries, each read on the answer's budget. */

import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { matchesModel } from '#lambdas/request-log/model-filter.ts';
import { cutWindow, type Period } from '../rollups/period.ts';
import {
  type CostRollup,
  type CostRollupReader,
  type Dimension,
  type RollupState,
  rollupOf,
  writeShardCount,
} from '../rollups/rollup.ts';
import {
  type CostBudget,
  type CostItem,
  type CostPlan,
  cutSpans,
  intersect,
  mayHaveExpired,
  planCosts,
  roundDown,
} from './plan.ts';
import type { CostQuery } from './query.ts';
import type { CountedCosts } from './summary.ts';
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
  onScanned(count: number): void;
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
  const writeShards = writeShardCount(range.dimension, logShards);
  const sums: CostRollup[] = [];
  for await (const sum of sources.rollups.read({ organizationId, generation, writeShards, ...range })) {
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
    const onScanned = (count: number) => budget.spend(item, count);
    for await (const page of sources.readEntries({ organizationId, shard, window, onScanned })) {
      for (const { entry } of page) take(entry);
    }
  });
}

// Reads what was counted in a window: sums for its whole spans, and the entries of the two that its bounds cut.

export interface CostQuestion {
  organizationId: string;
  query: CostQuery;
  budget: CostBudget;
}

export async function readCosts(sources: CostSources, question: CostQuestion): Promise<CountedCosts> {
  const { organizationId, query } = question;
  const [logShards, { generation }] = await Promise.all([
    sources.logShardsOf(organizationId),
    sources.findRollupState(organizationId),
  ]);
  const plan = planCosts(query);
  const reading: CostReading = { ...question, sources, plan, logShards, generation, now: sources.now() };
  const spans = cutSpans(query.window, plan.smallest);
  const edges = await Promise.all(spans.map((span) => readEdge(reading, span)));

  const gone = edges.filter(({ entries }) => entries === null).map(({ span }) => span);
  const window = roundDown(query.window, gone);
  const edgeEntries = (kind: 'totals' | 'groups') => edges.flatMap(({ entries }) => entries?.[kind] ?? []);
  const matching = (costs: CostRollup[]) => costs.filter((cost) => matchesModel(query.filters, cost));

  // What is counted is added to the totals first, and read there last: the groups never add up to more than the totals.
  const groups = [...(await readWholeSpans(reading, plan.groups, window)), ...edgeEntries('groups')];
  const totals =
    plan.totals === plan.groups
      ? groups
      : [...(await readWholeSpans(reading, plan.totals, window)), ...edgeEntries('totals')];
  return {
    window,
    roundedTo: gone.length > 0 ? plan.smallest : null,
    totals: matching(totals),
    groups: matching(groups),
  };
}

async function readWholeSpans(
  reading: CostReading,
  dimension: Dimension,
  window: TimeWindow,
): Promise<CostRollup[]> {
  const { largest, smallest } = reading.plan;
  const parts = cutWindow(window, largest, smallest).map(async ({ source, ...part }) =>
    source === 'entries' ? [] : readSums(reading, { dimension, period: source, window: part, item: 'sum' }),
  );
  return (await Promise.all(parts)).flat();
}

// The entries of a span that a bound of the window cuts, if all of them are still there.

/** What the entries in the window add, and what those add that have a value to group by. */
export interface EdgeEntries {
  totals: CostRollup[];
  groups: CostRollup[];
}

export interface Edge {
  span: TimeWindow;
  /** `null` when entries of the span have expired: what is left of them adds up to nothing true. */
  entries: EdgeEntries | null;
}

export async function readEdge(reading: CostReading, span: TimeWindow): Promise<Edge> {
  const { startMs } = reading.query.window;
  const item: CostItem = span.startMs < startMs && startMs < span.endMs ? 'start' : 'end';
  if (!mayHaveExpired(span, reading.now)) {
    const { entries } = await readEntries(reading, { span: intersect(reading.query.window, span), item });
    return { span, entries };
  }
  // In this order nothing can be counted and not be there, unless it has expired.
  const countedRequests = await countRequests(reading, { span, item });
  const { entries, requests } = await readEntries(reading, { span, item });
  return { span, entries: requests < countedRequests ? null : entries };
}

interface SpanToRead {
  span: TimeWindow;
  item: CostItem;
}

async function countRequests(reading: CostReading, { span, item }: SpanToRead): Promise<number> {
  const { smallest } = reading.plan;
  const sums = await readSums(reading, { dimension: 'model', period: smallest, window: span, item });
  return sums.reduce((count, { totals }) => count + totals.requests, 0);
}

async function readEntries(reading: CostReading, { span, item }: SpanToRead) {
  const { plan, query } = reading;
  const entries: EdgeEntries = { totals: [], groups: [] };
  let requests = 0;
  await eachEntry(reading, { window: span, item }, (entry) => {
    const total = rollupOf(entry, plan.totals);
    if (total === null) return;
    requests++;
    if (total.startMs < query.window.startMs || total.startMs >= query.window.endMs) return;
    entries.totals.push(total);
    const group = rollupOf(entry, plan.groups);
    if (group !== null) entries.groups.push(group);
  });
  return { entries, requests };
}
