/** What a batch of records adds to which rows. */
import {
  type RollupKey,
  type RollupRecord,
  type RowAdditions,
  rollupKeysOf,
  totalsOf,
} from '../domain/rollup.ts';
import { addTotals, isNothing, noTotals, subtractTotals, type Totals } from '../domain/totals.ts';
import { itemKey } from './cost-rollup-item.ts';

export function rowAdditionsOf(
  records: RollupRecord[],
  generationsOf: (record: RollupRecord) => number[],
): RowAdditions[] {
  const rows = new Map<string, RowAdditions>();
  for (const record of records) {
    const { sequenceNumber } = record;
    const generations = generationsOf(record);
    for (const { key, totals } of changesOf(record)) {
      for (const generation of generations) {
        const name = JSON.stringify(itemKey(generation, key));
        const row = rows.get(name) ?? { generation, key, additions: [] };
        row.additions.push({ sequenceNumber, totals });
        rows.set(name, row);
      }
    }
  }
  return [...rows.values()];
}

/** What the entry is now is added, what it was is taken away; where both come to the same, nothing changes. */
function changesOf({ entry, before }: RollupRecord): { key: RollupKey; totals: Totals }[] {
  const changes = new Map<string, { key: RollupKey; totals: Totals }>();
  const change = (key: RollupKey, by: (totals: Totals) => Totals) => {
    const name = JSON.stringify(itemKey(0, key));
    changes.set(name, { key, totals: by(changes.get(name)?.totals ?? noTotals) });
  };
  for (const key of rollupKeysOf(entry)) change(key, (totals) => addTotals(totals, totalsOf(entry)));
  if (before !== null)
    for (const key of rollupKeysOf(before)) change(key, (totals) => subtractTotals(totals, totalsOf(before)));
  return [...changes.values()].filter(({ totals }) => !isNothing(totals));
}
