/** Reads the log entries of partial periods: those that a bound of the window splits. */
import { type CostRollup, type Dimension, rollupOf, totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { countedRequests } from '#lambdas/costs/rollups/totals.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { overlapOf, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { PartialPeriod } from './plan.ts';
import { type ReadContext, readPeriodRows } from './read-rows.ts';

/** Entries as rows. */
interface EntryRows {
  totalRows: CostRollup[];
  groupRows: CostRollup[];
}

type Bound = PartialPeriod['bound'];

/** Limited by the number of connections that a client keeps open. */
const maxConcurrentShards = 16;

interface PartialPeriodRows extends EntryRows {
  /** The periods some of whose entries have expired. They have no rows. */
  expired: TimeWindow[];
}

export async function readPartialPeriods(
  context: ReadContext,
  partialPeriods: readonly PartialPeriod[],
): Promise<PartialPeriodRows> {
  const periods = await Promise.all(
    partialPeriods.map(async (partialPeriod) => ({
      fullPeriod: partialPeriod.fullPeriod,
      rows: await readPartialPeriod(context, partialPeriod),
    })),
  );
  return {
    expired: periods.filter(({ rows }) => rows === null).map(({ fullPeriod }) => fullPeriod),
    totalRows: periods.flatMap(({ rows }) => rows?.totalRows ?? []),
    groupRows: periods.flatMap(({ rows }) => rows?.groupRows ?? []),
  };
}

/** Reads the part inside the window. `null` when entries of the period have expired: the others do not add up to its rows. */
async function readPartialPeriod(
  context: ReadContext,
  { bound, fullPeriod, mayHaveExpired }: PartialPeriod,
): Promise<EntryRows | null> {
  const { dimensions, window } = context.query;
  const insideWindow = overlapOf(window, fullPeriod);
  // Reads rollup rows before entries, so that everything counted has an entry, unless it has expired.
  const counted = mayHaveExpired ? await countRequests(context, fullPeriod, bound) : 0;
  const rows: EntryRows = { totalRows: [], groupRows: [] };
  let found = 0;
  await forEachEntry(context, mayHaveExpired ? fullPeriod : insideWindow, bound, (entry) => {
    const totalRow = rowOf(context, entry, dimensions.totals);
    const groupRow = rowOf(context, entry, dimensions.groups);
    if (totalRow !== null) found += countedRequests(totalRow.totals);
    const createdMs = Date.parse(entry.created_at);
    if (createdMs < insideWindow.startMs || createdMs >= insideWindow.endMs) return;
    if (totalRow !== null) rows.totalRows.push(totalRow);
    if (groupRow !== null) rows.groupRows.push(groupRow);
  });
  return found < counted ? null : rows;
}

/** The entry as a row of the dimension; `null` when a row of the query would not count it. */
function rowOf({ query }: ReadContext, entry: LogEntry, dimension: Dimension): CostRollup | null {
  const row = rollupOf(entry, dimension);
  return query.valueFilter === null || row?.value === query.valueFilter.value ? row : null;
}

/** The requests and attempts that the period's rows have counted. */
async function countRequests(context: ReadContext, window: TimeWindow, bound: Bound): Promise<number> {
  const { dimensions, valueFilter } = context.query;
  const dimension = valueFilter === null ? totalsDimension : dimensions.totals;
  const range = { window, kind: bound };
  const rows = await readPeriodRows(context, dimension, dimensions.finestPeriod, range);
  return rows.reduce((sum, { totals }) => sum + countedRequests(totals), 0);
}

/** Visits entries in no particular order. There can be too many to keep in memory. */
async function forEachEntry(
  { readEntries, organizationId, logShards, readLimit }: ReadContext,
  window: TimeWindow,
  bound: Bound,
  onEntry: (entry: LogEntry) => void,
): Promise<void> {
  const onScanned = (count: number) => readLimit.consume(bound, count);
  await forEachConcurrently(Array.from({ length: logShards }).keys(), maxConcurrentShards, async (shard) => {
    for await (const page of readEntries({ organizationId, shard, window, onScanned })) {
      for (const { entry } of page) onEntry(entry);
    }
  });
}
