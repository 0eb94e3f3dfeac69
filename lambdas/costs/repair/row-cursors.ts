/** Reads several sorted sequences of rollup rows in parallel, page by page, with few rows in memory. */

import { mergeSorted, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { RollupPartition } from '../rollups/item.ts';
import type { RollupRow } from '../rollups/rows.ts';

export interface PartitionRow {
  partition: RollupPartition;
  row: RollupRow;
}

export interface RowCursor {
  partition: RollupPartition;
  pages: AsyncIterator<RollupRow[]>;
  bufferedRows: RollupRow[];
  isExhausted: boolean;
}

/** Buffers at least an hour of rows in each cursor, and returns the rows from `startMs` to the end of the shortest buffer. */
export async function readWholeHours(
  cursors: RowCursor[],
  { startMs, endMs }: TimeWindow,
): Promise<{ toMs: number; rows: PartitionRow[] }> {
  const bufferedToMs = await Promise.all(cursors.map((cursor) => bufferHour(cursor, { startMs, endMs })));
  const toMs = Math.min(...bufferedToMs);
  const rows = cursors.flatMap((cursor) => {
    const { partition } = cursor;
    const endIndex = cursor.bufferedRows.findIndex(({ rollup }) => rollup.startMs >= toMs);
    return cursor.bufferedRows
      .splice(0, endIndex === -1 ? cursor.bufferedRows.length : endIndex)
      .map((row) => ({ partition, row }));
  });
  return { toMs, rows };
}

/** Resolves to the time up to which the cursor has buffered all rows. */
async function bufferHour(cursor: RowCursor, { startMs, endMs }: TimeWindow): Promise<number> {
  const hourEndMs = endOfPeriod('hour', startMs);
  for (;;) {
    if (cursor.isExhausted) return endMs;
    // The next page may have more rows of the last row's hour.
    const lastMs = startOfPeriod('hour', cursor.bufferedRows.at(-1)?.rollup.startMs ?? startMs);
    if (lastMs >= hourEndMs) return lastMs;
    const { done = false, value } = await cursor.pages.next();
    cursor.isExhausted = done;
    if (!done) cursor.bufferedRows.push(...value);
  }
}

/** The rows of one period: pages in the order of their sort keys. */
export type RowSequence = AsyncIterable<RollupRow[]> | Iterable<RollupRow[]>;

/** One row of each sequence, all of the same group; `null` when a sequence has no such row. */
export type JoinedRow = (RollupRow | null)[];

interface SequencedRow {
  row: RollupRow;
  /** The part of the sort key after the period: the join key. */
  groupKey: string;
  sequence: number;
}

/** DynamoDB sorts by UTF-8 bytes; JavaScript's string order differs beyond U+FFFF. */
const byGroupKey = {
  keyOf: ({ groupKey }: SequencedRow) => groupKey,
  compare: (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)),
};

/** Joins sorted sequences by the group of their rows, with one page of each in memory. */
export async function* mergeJoinRows(sequences: RowSequence[]): AsyncGenerator<JoinedRow> {
  for await (const { items } of mergeSorted(sequences.map(toSequencedPages), byGroupKey)) {
    for (const rows of Map.groupBy(items, ({ groupKey }) => groupKey).values()) {
      yield sequences.map((_, sequence) => rows.find((row) => row.sequence === sequence)?.row ?? null);
    }
  }
}

async function* toSequencedPages(
  pages: RowSequence,
  sequence: number,
): AsyncGenerator<SortedPage<SequencedRow>> {
  for await (const rows of pages) {
    const items = rows.map((row) => ({ row, groupKey: row.sk.slice(row.sk.indexOf('#')), sequence }));
    const last = items.at(-1);
    if (last !== undefined) yield { items, completeThrough: last.groupKey };
  }
}
