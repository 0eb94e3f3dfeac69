/** Reads several sorted sequences of rollup rows in parallel, page by page, with few rows in memory. */

import { mergeSorted, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { RollupPartition } from '../rollups/item.ts';
import type { RollupRow } from '../rollups/rows.ts';
import { costRollupsSchema } from '../rollups/schema.ts';

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

/** One row of each sequence, all with the same join key; `null` when a sequence has no such row. */
export type JoinedRow = (RollupRow | null)[];

interface SequencedRow {
  row: RollupRow;
  joinKey: string;
  sequence: number;
}

/** DynamoDB sorts by UTF-8 bytes; JavaScript's string order differs beyond U+FFFF. */
const byJoinKey = {
  keyOf: ({ joinKey }: SequencedRow) => joinKey,
  compare: (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)),
};

/** Joins sorted sequences by the join keys of their rows, with one page of each in memory. */
export async function* mergeJoinRows(sequences: RowSequence[]): AsyncGenerator<JoinedRow> {
  for await (const { items } of mergeSorted(sequences.map(toSequencedPages), byJoinKey)) {
    for (const rows of Map.groupBy(items, ({ joinKey }) => joinKey).values()) {
      yield sequences.map((_, sequence) => rows.find((row) => row.sequence === sequence)?.row ?? null);
    }
  }
}

async function* toSequencedPages(
  pages: RowSequence,
  sequence: number,
): AsyncGenerator<SortedPage<SequencedRow>> {
  for await (const rows of pages) {
    const items = rows.map((row) => ({ row, joinKey: joinKeyOf(row), sequence }));
    const last = items.at(-1);
    if (last !== undefined) yield { items, completeThrough: last.joinKey };
  }
}

/** The part of the sort key after the period. */
function joinKeyOf({ [costRollupsSchema.sortKey]: sortKey }: RollupRow): string {
  return sortKey.slice(sortKey.indexOf('#'));
}
