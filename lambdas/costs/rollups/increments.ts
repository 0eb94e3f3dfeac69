/** Groups the changes of entries by the rows of sums that they change. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { itemKey } from './item.ts';
import { type RollupKey, rollupKeysOf, totalsOf } from './rollup.ts';
import type { RollupRecord } from './stream-record.ts';
import { isNothing, noTotals, subtractTotals, type Totals } from './totals.ts';

/** What is to be added to one row, in the order of the sequence numbers. */
export interface RowAdditions {
  generation: number;
  key: RollupKey;
  additions: { sequenceNumber: string; totals: Totals }[];
}

/** The records have to be in the order of their numbers. */
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
        const name = nameOf(key, generation);
        const row = rows.get(name) ?? { generation, key, additions: [] };
        row.additions.push({ sequenceNumber, totals });
        rows.set(name, row);
      }
    }
  }
  return [...rows.values()];
}

type Change = { key: RollupKey; totals: Totals };

function changesOf({ entry, before }: RollupRecord): Change[] {
  const totals = totalsOf(entry);
  const added = rollupKeysOf(entry).map((key) => ({ key, totals }));
  return before === null ? added : differences(added, before);
}

/** What the entry added before is subtracted. Rows that stay the same are left out. */
function differences(added: Change[], before: LogEntry): Change[] {
  const changes = new Map(added.map((change) => [nameOf(change.key), change]));
  for (const key of rollupKeysOf(before)) {
    const totals = changes.get(nameOf(key))?.totals ?? noTotals;
    changes.set(nameOf(key), { key, totals: subtractTotals(totals, totalsOf(before)) });
  }
  return [...changes.values()].filter(({ totals }) => !isNothing(totals));
}

function nameOf(key: RollupKey, generation = 0): string {
  const { pk, sk } = itemKey(generation, key);
  // No part of `pk` has a line break, so no two keys have the same name.
  return `${pk}\n${sk}`;
}
