/** Reads rollups of hours in order of time, some whole hours at a time. */

import type { RollupPartition } from '../rollups/item.ts';
import { endOfPeriod, startOfPeriod } from '../rollups/period.ts';
import type { RollupRow } from '../rollups/rows.ts';

export interface FoundRow {
  partition: RollupPartition;
  row: RollupRow;
}

export interface RowCursor {
  partition: RollupPartition;
  pages: AsyncIterator<RollupRow[]>;
  /** Read, and not taken yet. */
  rows: RollupRow[];
  hasEnded: boolean;
}

/**
 * Takes the rows from `startMs` on, as far as they are in memory when at least an hour of each cursor is. Says up to where
 * that is.
 */
export async function takeHours(
  cursors: RowCursor[],
  { startMs, endMs }: { startMs: number; endMs: number },
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

/** Up to where the cursor has all rows in memory. */
async function readHour(
  cursor: RowCursor,
  { startMs, endMs }: { startMs: number; endMs: number },
): Promise<number> {
  const hourEndMs = endOfPeriod('hour', startMs);
  for (;;) {
    if (cursor.hasEnded) return endMs;
    // Of the last row's hour there may be more on the next page.
    const lastMs = startOfPeriod('hour', cursor.rows.at(-1)?.rollup.startMs ?? startMs);
    if (lastMs >= hourEndMs) return lastMs;
    const { done = false, value } = await cursor.pages.next();
    cursor.hasEnded = done;
    if (!done) cursor.rows.push(...value);
  }
}
