/** Reads the costs of a query by its plan: the sums of whole periods, and the entries of those that the bounds cut. */
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { matchesModel } from '#lambdas/request-log/model-filter.ts';
import type { LogEntryPagesRange } from '#lambdas/request-log/table/scan.ts';
import type { Period } from '../rollups/period.ts';
import {
  type CostRollup,
  type Dimension,
  rollupOf,
  totalsDimension,
  writeShardCount,
} from '../rollups/rollup.ts';
import type { RollupState } from '../rollups/state.ts';
import { createReadBudget, type Purpose, type ReadBudget } from './budget.ts';
import { type CostPlan, type Edge, roundDown, wholePeriods } from './plan.ts';
import type { CostQuery } from './query.ts';
import type { CostRollupReader } from './rollup-reader.ts';

export interface CostDependencies {
  logShardsOf(organizationId: string): Promise<number>;
  findRollupState(organizationId: string): Promise<RollupState>;
  rollups: CostRollupReader;
  /** The entries of one shard in the window, in pages, without expired ones; has to call `onScanned`. */
  readEntries(range: EntriesRange): AsyncIterable<StoredLogEntry[]>;
  now(): Date;
}

export type EntriesRange = Pick<LogEntryPagesRange, 'organizationId' | 'shard' | 'window'> & {
  onScanned(count: number): void;
};

/** The rows that were counted in the window and match the query. */
export interface CountedCosts {
  /** The window that was asked for, or a rounded one where that could not be summed exactly. */
  window: TimeWindow;
  roundedTo: Period | null;
  /** Every request once. */
  totalRows: CostRollup[];
  /** Every request that has a value to group by, once. */
  groupRows: CostRollup[];
}

/** One reading of costs: what stays the same from its first read to its last. */
interface CostReading {
  dependencies: CostDependencies;
  organizationId: string;
  query: CostQuery;
  plan: CostPlan;
  budget: ReadBudget;
  logShards: number;
  generation: number;
}

/** Enough to be quick where there are many, few enough for the connections that a client keeps. */
const shardsAtOnce = 16;

export async function readCosts(
  dependencies: CostDependencies,
  organizationId: string,
  query: CostQuery,
  plan: CostPlan,
): Promise<CountedCosts> {
  const [logShards, { generation }] = await Promise.all([
    dependencies.logShardsOf(organizationId),
    dependencies.findRollupState(organizationId),
  ]);
  const budget = createReadBudget(query, plan);
  const reading = { dependencies, organizationId, query, plan, budget, logShards, generation };

  const edges = await Promise.all(
    plan.edges.map(async (edge) => ({ edge, costs: await readEdge(reading, edge) })),
  );
  const expired = edges.filter(({ costs }) => costs === null).map(({ edge }) => edge.span);
  const window = roundDown(query.window, expired);
  const rowsOf = async (dimension: Dimension, kind: keyof EdgeCosts) => [
    ...(await readWholePeriods(reading, dimension, window)),
    ...edges.flatMap(({ costs }) => costs?.[kind] ?? []),
  ];
  // Totals are written before groups and read after them, so that groups never add up to more than the totals.
  const groupRows = await rowsOf(plan.groupDimension, 'groupRows');
  const totalRows =
    plan.totalsDimension === plan.groupDimension
      ? groupRows
      : await rowsOf(plan.totalsDimension, 'totalRows');
  const matches = (cost: CostRollup) => matchesModel(query.filters, cost);
  return {
    window,
    roundedTo: expired.length > 0 ? plan.smallest : null,
    totalRows: totalRows.filter(matches),
    groupRows: groupRows.filter(matches),
  };
}

async function readWholePeriods(
  reading: CostReading,
  dimension: Dimension,
  window: TimeWindow,
): Promise<CostRollup[]> {
  const { largest, smallest } = reading.plan;
  const parts = wholePeriods(window, largest, smallest).map((part) =>
    readSums(reading, dimension, part.period, part.window, 'sum'),
  );
  return (await Promise.all(parts)).flat();
}

/** Rows for the entries inside the window, and for those of them that have a value to group by. */
type EdgeCosts = Pick<CountedCosts, 'totalRows' | 'groupRows'>;

/** `null` when entries of the period have expired: what is left of them adds up to nothing true. */
async function readEdge(
  reading: CostReading,
  { bound, span, mayHaveExpired }: Edge,
): Promise<EdgeCosts | null> {
  const { plan, query } = reading;
  const inside = {
    startMs: Math.max(query.window.startMs, span.startMs),
    endMs: Math.min(query.window.endMs, span.endMs),
  };
  // Sums before entries: then whatever is counted has its entry among those that are read, unless it has expired.
  const sums = mayHaveExpired ? await readSums(reading, totalsDimension, plan.smallest, span, bound) : [];
  const countedRequests = sums.reduce((count, { totals }) => count + totals.requests, 0);
  const costs: EdgeCosts = { totalRows: [], groupRows: [] };
  let requests = 0;
  await forEachEntry(reading, mayHaveExpired ? span : inside, bound, (entry) => {
    const total = rollupOf(entry, plan.totalsDimension);
    if (total === null) return;
    requests += 1;
    if (total.startMs < inside.startMs || total.startMs >= inside.endMs) return;
    costs.totalRows.push(total);
    const group = rollupOf(entry, plan.groupDimension);
    if (group !== null) costs.groupRows.push(group);
  });
  return requests < countedRequests ? null : costs;
}

async function readSums(
  { dependencies, organizationId, generation, logShards, budget }: CostReading,
  dimension: Dimension,
  period: Period,
  window: TimeWindow,
  purpose: Purpose,
): Promise<CostRollup[]> {
  const writeShards = writeShardCount(dimension, logShards);
  const range = { organizationId, generation, dimension, period, writeShards, window };
  const sums: CostRollup[] = [];
  for await (const sum of dependencies.rollups.read(range)) {
    budget.spend(purpose, 1);
    sums.push(sum);
  }
  return sums;
}

/** Every entry of the window, from all shards, in no order. There can be too many to keep them in memory. */
async function forEachEntry(
  { dependencies, organizationId, logShards, budget }: CostReading,
  window: TimeWindow,
  purpose: Purpose,
  take: (entry: LogEntry) => void,
): Promise<void> {
  const onScanned = (count: number) => budget.spend(purpose, count);
  await forEachConcurrently(Array.from({ length: logShards }).keys(), shardsAtOnce, async (shard) => {
    const pages = dependencies.readEntries({ organizationId, shard, window, onScanned });
    for await (const page of pages) {
      for (const { entry } of page) take(entry);
    }
  });
}
