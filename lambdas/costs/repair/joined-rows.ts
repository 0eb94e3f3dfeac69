/** Rollups of different spans of time side by side, by what they are sums of. */
import type { RollupRow } from '../rollups/rows.ts';

/** Rows of one span: pages in the order of their sort keys. */
export type RowRun = AsyncIterable<RollupRow[]> | Iterable<RollupRow[]>;

/** The rows that differ by their span alone, in the order of the runs; `null` where a run has none. */
export type JoinedRows = (RollupRow | null)[];

interface Cursor {
  pages: AsyncIterator<RollupRow[]> | Iterator<RollupRow[]>;
  rows: RollupRow[];
  /** The place of the next row in `rows`. */
  at: number;
}

/** Keeps a page of each run in memory, however many rows there are. */
export async function* joinRows(runs: RowRun[]): AsyncGenerator<JoinedRows> {
  const cursors = runs.map((run): Cursor => {
    const pages = Symbol.asyncIterator in run ? run[Symbol.asyncIterator]() : run[Symbol.iterator]();
    return { pages, rows: [], at: 0 };
  });
  for (;;) {
    await Promise.all(cursors.map(readOn));
    const heads = cursors.map(({ rows, at }) => rows[at] ?? null);
    const lowest = heads.reduce<string | null>(lowerName, null);
    if (lowest === null) return;
    const joined = heads.map((row) => (row !== null && nameBehindSpan(row) === lowest ? row : null));
    for (const [index, cursor] of cursors.entries()) if (joined[index] !== null) cursor.at += 1;
    yield joined;
  }
}

async function readOn(cursor: Cursor): Promise<void> {
  while (cursor.at === cursor.rows.length) {
    const { done, value } = await cursor.pages.next();
    if (done) return;
    cursor.rows = value;
    cursor.at = 0;
  }
}

function lowerName(lowest: string | null, row: RollupRow | null): string | null {
  if (row === null) return lowest;
  const name = nameBehindSpan(row);
  return lowest === null || isLower(name, lowest) ? name : lowest;
}

/** DynamoDB sorts by the bytes of UTF-8, which is another order than that of JavaScript beyond U+FFFF. */
function isLower(name: string, other: string): boolean {
  return Buffer.compare(Buffer.from(name), Buffer.from(other)) < 0;
}

function nameBehindSpan({ sk }: RollupRow): string {
  return sk.slice(sk.indexOf('#'));
}
