/** What the rollups of an hour should be, by its entries. */
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { itemKey } from '../rollups/item.ts';
import { type RollupKey, rollupKeysOf, totalsOf } from '../rollups/rollup.ts';
import { addTotals, noTotals, type Totals } from '../rollups/totals.ts';

export interface ExpectedRow {
  key: RollupKey;
  totals: Totals;
  /** When one of its entries was written last. */
  lastWrittenMs: number;
}

/** By `rowName`. */
export type ExpectedRows = Map<string, ExpectedRow>;

export function rowName({ pk, sk }: { pk: string; sk: string }): string {
  return JSON.stringify([pk, sk]);
}

/** Adds an entry to the rows of its hour and its minute: those of the totals, and the others. */
export function addExpected(
  rows: { totals: ExpectedRows; groups: ExpectedRows },
  { entry, writtenAtMs }: StoredLogEntry,
  generation: number,
): void {
  for (const key of rollupKeysOf(entry)) {
    if (key.period !== 'hour' && key.period !== 'minute') continue;
    const expected = key.dimension === 'model' ? rows.totals : rows.groups;
    const name = rowName(itemKey(generation, key));
    const row = expected.get(name) ?? { key, totals: noTotals, lastWrittenMs: 0 };
    expected.set(name, {
      key,
      totals: addTotals(row.totals, totalsOf(entry)),
      // One that does not say when it was written was not written lately.
      lastWrittenMs: writtenAtMs > row.lastWrittenMs ? writtenAtMs : row.lastWrittenMs,
    });
  }
}
