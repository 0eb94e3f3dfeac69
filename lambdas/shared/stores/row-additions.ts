/** What a batch of records adds to which rows. */
import type { LogEntry } from '../domain/log-entry.ts';
import {
  type RollupKey,
  type RollupRecord,
  type RowAdditions,
  rollupKeysOf,
  totalsOf,
} from '../domain/rollup.ts';
import { isNothing, noTotals, subtractTotals, type Totals } from '../domain/totals.ts';
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

/** What the entry was is taken away; where it comes to the same, nothing changes. */
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
  // No part of `pk` has a line break: nothing else comes to the same name.
  return `${pk}\n${sk}`;
}
