/** Reads the costs of a query as planned: rollup rows of whole periods, and log entries of partial periods. */

import type { Period } from '#lambdas/costs/rollups/period.ts';
import {
  type CostRollup,
  type Dimension,
  rollupOf,
  totalsDimension,
  writeShardCount,
} from '#lambdas/costs/rollups/rollup.ts';
import type { RollupState } from '#lambdas/costs/rollups/state.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { matchesModel } from '#lambdas/request-log/model-filter.ts';
import type { LogEntryPagesRange } from '#lambdas/request-log/table/scan.ts';
import type { CostRollupReader } from '../rollup-reader.ts';
import { createReadBudget, type ReadBudget, type ReadKind } from './budget.ts';
import { type CostPlan, type PartialPeriod, roundDown, wholePeriods } from './plan.ts';
import type { CostQuery } from './query.ts';

export interface CostDependencies {
  logShardsOf(organizationId: string): Promise<number>;
  findRollupState(organizationId: string): Promise<RollupState>;
  rollups: CostRollupReader;
  /** The pages of one shard's entries in the window, without expired ones. Calls `onScanned` for each page. */
  readEntries(range: EntriesRange): AsyncIterable<StoredLogEntry[]>;
  now(): Date;
}

export type EntriesRange = Pick<LogEntryPagesRange, 'organizationId' | 'shard' | 'window'> & {
  onScanned(count: number): void;
};

/**
 * The rows in the window that match the query: rollup rows, and entries of partial periods as rows. `totalRows` count every
 * request once, `groupRows` every request that has a value to group by.
 */
export interface CostRows {
  /** The requested window, rounded where the exact sums are no longer available. */
  window: TimeWindow;
  roundedTo: Period | null;
  totalRows: CostRollup[];
  groupRows: CostRollup[];
}

interface ReadContext {
  dependencies: CostDependencies;
  organizationId: string;
  query: CostQuery;
  plan: CostPlan;
  budget: ReadBudget;
  logShards: number;
  generation: number;
}

/** Limited by the number of connections that a client keeps open. */
const maxConcurrentShards = 16;

export async function readCosts(
  dependencies: CostDependencies,
  organizationId: string,
  query: CostQuery,
  plan: CostPlan,
): Promise<CostRows> {
  const [logShards, { generation }] = await Promise.all([
    dependencies.logShardsOf(organizationId),
    dependencies.findRollupState(organizationId),
  ]);
  const budget = createReadBudget(query, plan);
  const context = { dependencies, organizationId, query, plan, budget, logShards, generation };

  const partialPeriods = await Promise.all(
    plan.partialPeriods.map(async (partialPeriod) => ({
      partialPeriod,
      costs: await readPartialPeriod(context, partialPeriod),
    })),
  );
  const expired = partialPeriods
    .filter(({ costs }) => costs === null)
    .map(({ partialPeriod }) => partialPeriod.fullPeriod);
  const window = roundDown(query.window, expired);
  const rowsOf = async (dimension: Dimension, kind: keyof PartialPeriodCosts) => [
    ...(await readWholePeriods(context, dimension, window)),
    ...partialPeriods.flatMap(({ costs }) => costs?.[kind] ?? []),
  ];
  // Totals are written before groups and read after them, so groups never add up to more than the totals.
  const groupRows = await rowsOf(plan.groupDimension, 'groupRows');
  const totalRows =
    plan.totalsDimension === plan.groupDimension
      ? groupRows
      : await rowsOf(plan.totalsDimension, 'totalRows');
  const { filters, serviceTier } = query;
  const matches = (cost: CostRollup) =>
    matchesModel(filters, cost) && (serviceTier === null || cost.serviceTier === serviceTier);
  return {
    window,
    roundedTo: expired.length > 0 ? plan.finestPeriod : null,
    totalRows: totalRows.filter(matches),
    groupRows: groupRows.filter(matches),
  };
}

async function readWholePeriods(
  context: ReadContext,
  dimension: Dimension,
  window: TimeWindow,
): Promise<CostRollup[]> {
  const { coarsestPeriod, finestPeriod } = context.plan;
  const parts = wholePeriods(window, coarsestPeriod, finestPeriod).map((part) =>
    readRows(context, dimension, part.period, part.window, 'rollup'),
  );
  return (await Promise.all(parts)).flat();
}

type PartialPeriodCosts = Pick<CostRows, 'totalRows' | 'groupRows'>;

/** Reads the part inside the window. `null` when entries of the period have expired: the others do not add up to its costs. */
async function readPartialPeriod(
  context: ReadContext,
  { bound, fullPeriod, mayHaveExpired }: PartialPeriod,
): Promise<PartialPeriodCosts | null> {
  const { plan, query } = context;
  const insideWindow = {
    startMs: Math.max(query.window.startMs, fullPeriod.startMs),
    endMs: Math.min(query.window.endMs, fullPeriod.endMs),
  };
  // Reads rollup rows before entries, so that every counted request has an entry, unless it has expired.
  const rows = mayHaveExpired
    ? await readRows(context, totalsDimension, plan.finestPeriod, fullPeriod, bound)
    : [];
  const countedRequests = rows.reduce((count, { totals }) => count + totals.requests, 0);
  const costs: PartialPeriodCosts = { totalRows: [], groupRows: [] };
  let requests = 0;
  await forEachEntry(context, mayHaveExpired ? fullPeriod : insideWindow, bound, (entry) => {
    const totalRow = rollupOf(entry, plan.totalsDimension);
    if (totalRow === null) return;
    requests += 1;
    if (totalRow.startMs < insideWindow.startMs || totalRow.startMs >= insideWindow.endMs) return;
    costs.totalRows.push(totalRow);
    const groupRow = rollupOf(entry, plan.groupDimension);
    if (groupRow !== null) costs.groupRows.push(groupRow);
  });
  return requests < countedRequests ? null : costs;
}

async function readRows(
  { dependencies, organizationId, generation, logShards, budget }: ReadContext,
  dimension: Dimension,
  period: Period,
  window: TimeWindow,
  kind: ReadKind,
): Promise<CostRollup[]> {
  const writeShards = writeShardCount(dimension, logShards);
  const range = { organizationId, generation, dimension, period, writeShards, window };
  const rows: CostRollup[] = [];
  for await (const row of dependencies.rollups.read(range)) {
    budget.consume(kind, 1);
    rows.push(row);
  }
  return rows;
}

/** Visits entries in no particular order. There can be too many to keep in memory. */
async function forEachEntry(
  { dependencies, organizationId, logShards, budget }: ReadContext,
  window: TimeWindow,
  kind: ReadKind,
  onEntry: (entry: LogEntry) => void,
): Promise<void> {
  const onScanned = (count: number) => budget.consume(kind, count);
  await forEachConcurrently(Array.from({ length: logShards }).keys(), maxConcurrentShards, async (shard) => {
    const pages = dependencies.readEntries({ organizationId, shard, window, onScanned });
    for await (const page of pages) {
      for (const { entry } of page) onEntry(entry);
    }
  });
}
