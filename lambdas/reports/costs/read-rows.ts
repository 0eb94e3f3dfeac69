/** Reads the rollup rows that add up to the elements of a series. */

import {
  type CostRollup,
  type Dimension,
  periodsOf,
  writeShardCount,
} from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, subtractTotals } from '#lambdas/costs/rollups/totals.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { countPeriods, type Period } from '#lambdas/platform/period.ts';
import { allTime, findWindow, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import type { LogEntryPagesRange } from '#lambdas/request-log/table/scan.ts';
import type { CostRollupReader, RollupPartitions } from '../rollup-reader.ts';
import type { RowRead } from './plan.ts';
import type { CostQuery } from './query.ts';
import type { ReadKind, ReadLimit } from './read-limit.ts';

/** Where the costs of an organization are read, for one query and within its limit. */
export interface ReadContext {
  rollupReader: CostRollupReader;
  /** The pages of one shard's entries in the window, without expired ones. Calls `onScanned` for each page. */
  readEntries(range: EntriesRange): AsyncIterable<StoredLogEntry[]>;
  organizationId: string;
  generation: number;
  logShards: number;
  query: CostQuery;
  readLimit: ReadLimit;
}

type EntriesRange = Pick<LogEntryPagesRange, 'organizationId' | 'shard' | 'window'> & {
  onScanned(count: number): void;
};

/** A rollup row, or an entry as one, in the element that it is added to. Totals that are subtracted are negative. */
export interface ElementRow extends CostRollup {
  element: number;
}

/** Each may read several pages at a time. */
const maxConcurrentReads = 8;

export async function readElementRows(
  context: ReadContext,
  dimension: Dimension,
  reads: readonly RowRead[],
): Promise<ElementRow[]> {
  consumeValueQueries(context, dimension, reads);
  const rows: ElementRow[] = [];
  await forEachConcurrently(reads, maxConcurrentReads, async ({ period, window, parts }) => {
    for (const row of await readPeriodRows(context, dimension, period, { window, kind: 'rollup' })) {
      const { addTo = null, subtractFrom = null } = findWindow(parts, row.startMs) ?? {};
      if (addTo !== null) rows.push({ ...row, element: addTo });
      if (subtractFrom !== null)
        rows.push({ ...row, element: subtractFrom, totals: subtractTotals(noTotals, row.totals) });
    }
  });
  return rows;
}

/** Reads rows of whole periods; with a value filter, only those of its value. */
export async function readPeriodRows(
  context: ReadContext,
  dimension: Dimension,
  period: Period,
  { window, kind }: { window: TimeWindow; kind: ReadKind },
): Promise<CostRollup[]> {
  const { rollupReader, query, readLimit } = context;
  const value = query.valueFilter?.value ?? null;
  const rows: CostRollup[] = [];
  for await (const row of rollupReader.read({ ...partitionsOf(context, dimension, period), window, value })) {
    readLimit.consume(kind, 1);
    rows.push(row);
  }
  return rows;
}

function partitionsOf(
  { organizationId, generation, logShards }: ReadContext,
  dimension: Dimension,
  period: Period,
): RollupPartitions {
  const writeShards = writeShardCount(dimension, logShards);
  return { organizationId, generation, dimension, period, writeShards };
}

/** The time that has rows. With a value filter, each of its periods takes a query. */
export async function findSpan(context: ReadContext): Promise<TimeWindow> {
  const { rollupReader, query } = context;
  // With a value filter, that of the groups too.
  const dimension = query.dimensions.totals;
  const [coarsestPeriod] = periodsOf(dimension);
  if (query.valueFilter === null || coarsestPeriod === undefined) return allTime;
  const span = await rollupReader.findSpan(partitionsOf(context, dimension, coarsestPeriod));
  return span ?? { startMs: 0, endMs: 0 };
}

/** A query for a value counts as an item, since it can find nothing. */
function consumeValueQueries(
  { query, readLimit, logShards }: ReadContext,
  dimension: Dimension,
  reads: readonly RowRead[],
): void {
  if (query.valueFilter === null) return;
  const periods = reads.reduce((sum, { period, window }) => sum + countPeriods(period, window), 0);
  readLimit.consume('rollup', periods * writeShardCount(dimension, logShards));
}
