/** What the rows of an organization are, and what they should be, by plain sums over the entries. */

import { itemKey } from '#lambdas/costs/rollups/item.ts';
import { rollupKeysOf, totalsOf } from '#lambdas/costs/rollups/rollup.ts';
import { readRowPages, rollupPartitions } from '#lambdas/costs/rollups/rows.ts';
import { addTotals, noTotals, subtractTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { World } from './rebuild-world.ts';

/** Sums by the keys of their rows without organization and generation: `model#day#0 2026-01-31#openai/gpt-4o`. */
export type Rows = Record<string, Totals>;

export async function rowsOf(
  { client, tables, organizationId, logShards }: World,
  generation: number,
): Promise<Rows> {
  const table = { client, tableName: tables.costRollups };
  const read = rollupPartitions({ organizationId, generation, logShards }).map(async (partition) => {
    const pages = await Array.fromAsync(readRowPages(table, partition, { window: allTime }));
    return pages.flat().map(({ pk, sk, rollup }) => [nameOf({ pk, sk }), rollup.totals] as const);
  });
  return Object.fromEntries((await Promise.all(read)).flat());
}

export interface Kept {
  countsFromMs: number;
  /** The rows when the play began; those of before `countsFromMs` cannot be counted any more. */
  kept: Rows;
}

export function expectedRows({ entries, changes }: World, { countsFromMs, kept }: Kept): Rows {
  const rows: Rows = {};
  const add = (name: string, totals: Totals) => {
    rows[name] = addTotals(rows[name] ?? noTotals, totals);
  };
  const followed = { ...kept };
  for (const { before, after } of changes) {
    for (const key of rollupKeysOf(after)) {
      const name = nameOf(itemKey(0, key));
      const difference = subtractTotals(totalsOf(after), totalsOf(before));
      followed[name] = addTotals(followed[name] ?? noTotals, difference);
    }
  }
  for (const [name, totals] of Object.entries(followed)) {
    const [partition = '', sk = ''] = name.split(' ', 2);
    const start = sk.split('#', 1).join();
    const before = new Date(countsFromMs).toISOString().slice(0, start.length);
    if (start < before) add(name, totals);
    // The month that is cut is the sum of its days.
    const isInCutMonth = partition.includes('#day#') && start.startsWith(before.slice(0, 'YYYY-MM'.length));
    if (isInCutMonth && start < before)
      add(`${partition.replace('#day#', '#month#')} ${sk.replace(/^(\d{4}-\d\d)-\d\d/, '$1')}`, totals);
  }
  for (const { entry } of entries.filter(({ entry }) => Date.parse(entry.created_at) >= countsFromMs))
    for (const key of rollupKeysOf(entry)) add(nameOf(itemKey(0, key)), totalsOf(entry));
  return rows;
}

export function requestsOfDays(rows: Rows): number {
  return Object.entries(rows)
    .filter(([name]) => name.startsWith('model#day#'))
    .reduce((sum, [, { requests }]) => sum + requests, 0);
}

function nameOf({ pk, sk }: { pk: string; sk: string }): string {
  return `${pk.split('#').slice(2).join('#')} ${sk}`;
}
