/** Reads the rollup rows that add up to the elements of a series. */

import {
  type CostRollup,
  type Dimension,
  isInCosts,
  periodsOf,
  writeShardCount,
} from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, subtractTotals } from '#lambdas/costs/rollups/totals.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { countPeriods, type Period } from '#lambdas/platform/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import type { CostRollupReader, RollupPartitions } from '../rollup-reader.ts';
import type { CoverPart } from './cover.ts';
import { coverByRows } from './plan.ts';
import type { CostQuery } from './query.ts';
import type { ReadKind, ReadLimit } from './read-limit.ts';

export interface RowContext {
  rollupReader: CostRollupReader;
  organizationId: string;
  generation: number;
  logShards: number;
  query: CostQuery;
  readLimit: ReadLimit;
  now: Date;
  /** In milliseconds since 1970. The rollups have counted all entries and changes that were written before. */
  finalUntilMs: number;
}

/** A rollup row, or an entry as one, in the element that it is added to. Totals that are subtracted are negative. */
export interface ElementRow extends CostRollup {
  element: number;
}

/** Each may read several pages at a time. */
const maxConcurrentReads = 8;

export async function readElementRows(
  context: RowContext,
  dimension: Dimension,
  elements: readonly TimeWindow[],
): Promise<ElementRow[]> {
  const { query, finalUntilMs } = context;
  const span = await findSpan(context, dimension);
  const reads = combineReads(coverByRows(elements, dimension, query, { span, finalUntilMs }));
  consumeValueQueries(context, dimension, reads);
  const rows: ElementRow[] = [];
  await forEachConcurrently(reads, maxConcurrentReads, async ({ period, window, parts }) => {
    for (const row of await readRows(context, dimension, period, { window, kind: 'rollup' })) {
      for (const { element, weight } of findWindow(parts, row.startMs)?.targets ?? []) {
        const totals = weight === 1 ? row.totals : subtractTotals(noTotals, row.totals);
        rows.push({ ...row, totals, element });
      }
    }
  });
  return rows;
}

/** Reads rows of whole periods; with a value filter, only those of its value. */
export async function readRows(
  context: RowContext,
  dimension: Dimension,
  period: Period,
  { window, kind }: { window: TimeWindow; kind: ReadKind },
): Promise<CostRollup[]> {
  const { rollupReader, query, readLimit } = context;
  const value = query.valueFilter?.value ?? null;
  const rows: CostRollup[] = [];
  for await (const row of rollupReader.read({ ...partitionsOf(context, dimension, period), window, value })) {
    readLimit.consume(kind, 1);
    if (isInCosts(row, dimension)) rows.push(row);
  }
  return rows;
}

function partitionsOf(
  { organizationId, generation, logShards }: RowContext,
  dimension: Dimension,
  period: Period,
): RollupPartitions {
  const writeShards = writeShardCount(dimension, logShards);
  return { organizationId, generation, dimension, period, writeShards };
}

/** The time that has rows. With a value filter, each of its periods takes a query. */
async function findSpan(context: RowContext, dimension: Dimension): Promise<TimeWindow> {
  const { rollupReader, query } = context;
  const [coarsestPeriod] = periodsOf(dimension);
  if (query.valueFilter === null || coarsestPeriod === undefined) return allTime;
  const span = await rollupReader.findSpan(partitionsOf(context, dimension, coarsestPeriod));
  return span ?? { startMs: 0, endMs: 0 };
}

/** Consecutive periods that are read at once, for one or more parts. */
interface CombinedRead {
  period: Period;
  window: TimeWindow;
  parts: CoverPart[];
}

function combineReads(parts: readonly CoverPart[]): CombinedRead[] {
  const reads: CombinedRead[] = [];
  for (const part of parts) {
    const last = reads.at(-1);
    if (last !== undefined && last.period === part.period && last.window.endMs === part.window.startMs) {
      last.window = { startMs: last.window.startMs, endMs: part.window.endMs };
      last.parts.push(part);
    } else reads.push({ period: part.period, window: part.window, parts: [part] });
  }
  return reads;
}

/** A query for a value counts as an item, since it can find nothing. */
function consumeValueQueries(
  { query, readLimit, logShards }: RowContext,
  dimension: Dimension,
  reads: readonly CombinedRead[],
): void {
  if (query.valueFilter === null) return;
  const periods = reads.reduce((sum, { period, window }) => sum + countPeriods(period, window), 0);
  readLimit.consume('rollup', periods * writeShardCount(dimension, logShards));
}

/** The window that contains the time; the windows are in order of time. */
export function findWindow<Part extends { window: TimeWindow }>(
  parts: readonly Part[],
  timestampMs: number,
): Part | undefined {
  let [from, to] = [0, parts.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const part = parts[middle];
    if (part === undefined || timestampMs < part.window.startMs) to = middle;
    else if (timestampMs >= part.window.endMs) from = middle + 1;
    else return part;
  }
  return undefined;
}
