/** Reads rollup rows side by side, page by page, with few of them in memory. */

import { mergeSorted, type SortedPage } from '#lambdas/platform/merge-sorted.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { RollupPartition } from '../rollups/item.ts';
import { endOfPeriod, startOfPeriod } from '../rollups/period.ts';
import type { RollupRow } from '../rollups/rows.ts';

export interface FoundRow {
  partition: RollupPartition;
  row: RollupRow;
}

/** The rows of a partition in order of time. */
export interface RowCursor {
  partition: RollupPartition;
  pages: AsyncIterator<RollupRow[]>;
  /** Read, and not taken yet. */
  rows: RollupRow[];
  hasEnded: boolean;
}

/**
 * Takes all rows from `startMs` to `toMs`, which is as far as the rows in memory go once each cursor has at least an hour
 * of them.
 */
export async function takeHours(
  cursors: RowCursor[],
  { startMs, endMs }: TimeWindow,
): Promise<{ toMs: number; rows: FoundRow[] }> {
  const completeTo = await Promise.all(cursors.map((cursor) => readHour(cursor, { startMs, endMs })));
  const toMs = Math.min(...completeTo);
  const rows = cursors.flatMap((cursor) => {
    const { partition } = cursor;
    const cut = cursor.rows.findIndex(({ rollup }) => rollup.startMs >= toMs);
    return cursor.rows.splice(0, cut === -1 ? cursor.rows.length : cut).map((row) => ({ partition, row }));
  });
  return { toMs, rows };
}

/** Resolves to the time up to which the cursor has all rows in memory. */
async function readHour(cursor: RowCursor, { startMs, endMs }: TimeWindow): Promise<number> {
  const hourEndMs = endOfPeriod('hour', startMs);
  for (;;) {
    if (cursor.hasEnded) return endMs;
    // The next page may have more rows of the last row's hour.
    const lastMs = startOfPeriod('hour', cursor.rows.at(-1)?.rollup.startMs ?? startMs);
    if (lastMs >= hourEndMs) return lastMs;
    const { done = false, value } = await cursor.pages.next();
    cursor.hasEnded = done;
    if (!done) cursor.rows.push(...value);
  }
}

/** Rows of one span: pages in the order of their sort keys. */
export type RowRun = AsyncIterable<RollupRow[]> | Iterable<RollupRow[]>;

/** Rows that differ by their span alone, in the order of the runs; `null` where a run has none. */
export type JoinedRows = (RollupRow | null)[];

interface NamedRow {
  row: RollupRow;
  /** The part of the sort key after the span: rows of several spans that have it in common are joined. */
  name: string;
  run: number;
}

/** DynamoDB sorts by the bytes of UTF-8; JavaScript's order differs beyond U+FFFF. */
const byName = {
  keyOf: ({ name }: NamedRow) => name,
  compare: (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)),
};

/** Keeps one page of each run in memory, however many rows there are. */
export async function* joinRows(runs: RowRun[]): AsyncGenerator<JoinedRows> {
  for await (const { items } of mergeSorted(runs.map(namedPages), byName)) {
    for (const rows of Map.groupBy(items, ({ name }) => name).values()) {
      yield runs.map((_, run) => rows.find((row) => row.run === run)?.row ?? null);
    }
  }
}

async function* namedPages(pages: RowRun, run: number): AsyncGenerator<SortedPage<NamedRow>> {
  for await (const rows of pages) {
    const items = rows.map((row) => ({ row, name: row.sk.slice(row.sk.indexOf('#')), run }));
    const last = items.at(-1);
    if (last !== undefined) yield { items, completeTo: last.name };
  }
}
