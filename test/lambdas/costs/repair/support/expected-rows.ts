import { itemKey } from '#lambdas/costs/rollups/item.ts';
import { additionsOf } from '#lambdas/costs/rollups/rollup.ts';
import { readRowPages, rollupPartitions } from '#lambdas/costs/rollups/rows.ts';
import { addTotals, isZero, noTotals, subtractTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { RepairFixture } from './repair-fixture.ts';

/** Totals by row key without organization and generation, such as `totals#day#0 2026-01-31#openai/7:default/gpt-4o`. */
export type Rows = Record<string, Totals>;

export async function readRows(
  { client, tables, organizationId, logShards }: RepairFixture,
  generation: number,
): Promise<Rows> {
  const table = { client, tableName: tables.costRollups };
  const reads = rollupPartitions({ organizationId, generation, logShards }).map(async (partition) => {
    const pages = await Array.fromAsync(readRowPages(table, partition, { window: allTime }));
    return pages.flat().map(({ pk, sk, rollup }) => [toRowKey({ pk, sk }), rollup.totals] as const);
  });
  return Object.fromEntries((await Promise.all(reads)).flat());
}

export interface RebuildStart {
  countsFromMs: number;
  /** All rows before the rebuild. It copies those from before `countsFromMs`, and counts entries for later ones. */
  originalRows: Rows;
}

export function expectedRows(
  { entries, changes }: RepairFixture,
  { countsFromMs, originalRows }: RebuildStart,
): Rows {
  const rows: Rows = {};
  const add = (rowKey: string, totals: Totals) => {
    rows[rowKey] = addTotals(rows[rowKey] ?? noTotals, totals);
  };
  const repricedRows = { ...originalRows };
  for (const { before, after } of changes) {
    for (const { key, totals } of additionsOf(before)) {
      const rowKey = toRowKey(itemKey(0, key));
      repricedRows[rowKey] = subtractTotals(repricedRows[rowKey] ?? noTotals, totals);
    }
    for (const { key, totals } of additionsOf(after)) {
      const rowKey = toRowKey(itemKey(0, key));
      repricedRows[rowKey] = addTotals(repricedRows[rowKey] ?? noTotals, totals);
    }
  }
  for (const [rowKey, totals] of Object.entries(repricedRows)) {
    const [partition = '', sk = ''] = rowKey.split(' ', 2);
    const start = sk.split('#', 1).join();
    const before = new Date(countsFromMs).toISOString().slice(0, start.length);
    if (start < before) add(rowKey, totals);
    // A partly copied month is the sum of its days.
    const isInPartialMonth =
      /^(?!error_code).*#day#/.test(partition) && start.startsWith(before.slice(0, 'YYYY-MM'.length));
    if (isInPartialMonth && start < before)
      add(`${partition.replace('#day#', '#month#')} ${sk.replace(/^(\d{4}-\d\d)-\d\d/, '$1')}`, totals);
  }
  for (const { entry } of entries.filter(({ entry }) => Date.parse(entry.created_at) >= countsFromMs))
    for (const { key, totals } of additionsOf(entry)) add(toRowKey(itemKey(0, key)), totals);
  return rows;
}

/** A row becomes zero when its only entry was a placeholder and has moved to the row of its service tier. */
export function withoutZeroRows(rows: Rows): Rows {
  return Object.fromEntries(Object.entries(rows).filter(([, totals]) => !isZero(totals)));
}

export function sumDailyRequests(rows: Rows): number {
  return Object.entries(rows)
    .filter(([rowKey]) => rowKey.startsWith('totals#day#'))
    .reduce((sum, [, { requests }]) => sum + requests, 0);
}

function toRowKey({ pk, sk }: { pk: string; sk: string }): string {
  return `${pk.split('#').slice(2).join('#')} ${sk}`;
}
