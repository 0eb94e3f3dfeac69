/** Ways through the pages of rollup rows that keep only a little of them in memory. */

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

interface RunCursor {
  pages: AsyncIterator<RollupRow[]> | Iterator<RollupRow[]>;
  rows: RollupRow[];
  /** The index of the next row in `rows`. */
  position: number;
}

/** Keeps one page of each run in memory, however many rows there are. */
export async function* joinRows(runs: RowRun[]): AsyncGenerator<JoinedRows> {
  const cursors = runs.map((run): RunCursor => {
    const pages = Symbol.asyncIterator in run ? run[Symbol.asyncIterator]() : run[Symbol.iterator]();
    return { pages, rows: [], position: 0 };
  });
  for (;;) {
    await Promise.all(cursors.map(readOn));
    const heads = cursors.map(({ rows, position }) => rows[position] ?? null);
    const names = heads.filter((row) => row !== null).map(nameWithoutSpan);
    if (names.length === 0) return;
    const lowest = names.reduce((one, other) => (isLower(other, one) ? other : one));
    const joined = heads.map((row) => (row !== null && nameWithoutSpan(row) === lowest ? row : null));
    for (const [index, cursor] of cursors.entries()) if (joined[index] !== null) cursor.position += 1;
    yield joined;
  }
}

async function readOn(cursor: RunCursor): Promise<void> {
  while (cursor.position === cursor.rows.length) {
    const { done, value } = await cursor.pages.next();
    if (done) return;
    cursor.rows = value;
    cursor.position = 0;
  }
}

/** DynamoDB sorts by the bytes of UTF-8; JavaScript's order differs beyond U+FFFF. */
function isLower(name: string, other: string): boolean {
  return Buffer.compare(Buffer.from(name), Buffer.from(other)) < 0;
}

function nameWithoutSpan({ sk }: RollupRow): string {
  return sk.slice(sk.indexOf('#'));
}
