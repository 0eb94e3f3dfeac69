/**
 * Adds to cost rollups exactly once, although stream records are delivered at least once.
 *
 * A stream shard delivers its records in order, but redelivers some: after an error, a timeout or a bisected batch. So each
 * row stores a watermark for each shard, the sequence number of the last record that it has counted, and updates it in the
 * same conditional write as the sums. Records at or below the watermark are already counted; a write whose condition fails
 * changes nothing. Shards need no order between them.
 */

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { nullIfConditionFails, retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import { comparesIfExists, unchanged, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import {
  expiredWatermarks,
  isCounted,
  isStreamShard,
  type Source,
  watermarkAttribute,
  watermarkPosition,
  watermarkValue,
} from '#lambdas/platform/dynamodb/watermark.ts';
import { addUsd, type Usd } from '#lambdas/platform/money.ts';
import { type CostRollupsTable, itemKey, totalsAdditions } from './item.ts';
import { totalsDimension } from './rollup.ts';
import type { RowUpdate } from './row-updates.ts';
import { isProgressRow, lastWrittenAttribute } from './state.ts';
import { sumTotals } from './totals.ts';

export interface CostRollupWriter {
  /**
   * Idempotent. Requires each source's additions in the order of their sequence numbers, within a call and across calls:
   * a row skips additions at or below its watermark.
   */
  add(source: Source, rows: RowUpdate[]): Promise<void>;
}

export function createCostRollupWriter(table: CostRollupsTable, now: () => Date): CostRollupWriter {
  return {
    async add(source, rows) {
      const addToRow = (row: RowUpdate) => addRow(table, now, source, row);
      for (const batch of inWriteOrder(rows)) await forEachConcurrently(batch, maxConnections, addToRow);
    },
  };
}

/**
 * A report reads groups and then totals, and must not find more requests in the groups. So totals increase first and
 * decrease last, and groups decrease before they increase: a request moves to another row when its service tier becomes
 * known. Rows that show the progress are last: if the function stops, they show no more than the others have counted.
 */
function inWriteOrder(rows: RowUpdate[]): RowUpdate[][] {
  const { added = [], removed = [] } = Object.groupBy(rows, ({ additions }) =>
    additions.reduce((sum, { totals }) => sum + totals.requests, 0) < 0 ? 'removed' : 'added',
  );
  const isTotal = ({ key }: RowUpdate) => key.dimension === totalsDimension;
  const isProgress = ({ key }: RowUpdate) => isProgressRow(key);
  const isGroup = (row: RowUpdate) => !isTotal(row) && !isProgress(row);
  return [
    ...[added.filter(isTotal), removed.filter(isGroup), added.filter(isGroup), removed.filter(isTotal)],
    ...[removed.filter(isProgress), added.filter(isProgress)],
  ];
}

async function addRow(
  table: CostRollupsTable,
  now: () => Date,
  source: Source,
  row: RowUpdate,
): Promise<void> {
  let { additions } = row;
  let lastWrittenMs = 0;
  while (additions.length > 0) {
    const result = await tryAdd(table, now(), source, { ...row, additions }, lastWrittenMs);
    if ('row' in result) return removeExpiredWatermarks(table, now(), row, result.row);
    additions = additions.filter(
      ({ sequenceNumber }) => !isCounted(watermarkPosition(source, sequenceNumber), result.watermark),
    );
    lastWrittenMs = result.lastWrittenMs;
  }
}

/** The values of a row that conflict with the additions. */
interface Conflict {
  watermark: string;
  /** When its last entry was written; 0 if the row does not store it. */
  lastWrittenMs: number;
}

/**
 * Adds all or nothing, and updates the watermark. Returns the new row, or what conflicts with the additions.
 *
 * Entries do not reach the stream in the order of their write times, so a progress row may store a later one already, which
 * must stay.
 */
async function tryAdd(
  table: CostRollupsTable,
  now: Date,
  source: Source,
  row: RowUpdate,
  lastWrittenMs: number,
): Promise<{ row: Item } | Conflict> {
  const { generation, key, additions } = row;
  const [first, last] = [additions.at(0), additions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('The row has no additions');
  const attribute = watermarkAttribute(source);
  const writtenMs = Math.max(...additions.map(({ writtenAtMs }) => writtenAtMs ?? 0));
  const marksProgress = isStreamShard(source) && isProgressRow(key) && writtenMs > lastWrittenMs;
  const totals = sumTotals(additions.map((addition) => addition.totals));
  const conditions = [comparesIfExists(attribute, '<', watermarkPosition(source, first.sequenceNumber))];
  if (marksProgress) conditions.push(comparesIfExists(lastWrittenAttribute, '<=', writtenMs));
  const set = {
    [attribute]: watermarkValue(source, last.sequenceNumber, now),
    ...(marksProgress && { [lastWrittenAttribute]: writtenMs }),
  };
  const add = { ...totalsAdditions(totals), ...recountAddition(row) };
  const input = {
    TableName: table.tableName,
    Key: itemKey(generation, key),
    ...updateExpressions({ set, add }, ...conditions),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
  try {
    // The transaction of a replay locks the row for some milliseconds.
    const { Attributes = {} } = await retryOnConflict(() => table.client.send(new UpdateCommand(input)));
    return { row: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { [attribute]: watermark, [lastWrittenAttribute]: written } = error.Item ?? {};
    if (watermark?.S === undefined && written?.N === undefined) throw error;
    return { watermark: watermark?.S ?? '', lastWrittenMs: Number(written?.N ?? 0) };
  }
}

/** Stream shards last some hours, and each leaves a watermark: without this, a row would grow with every shard. */
async function removeExpiredWatermarks(
  table: CostRollupsTable,
  now: Date,
  { generation, key }: RowUpdate,
  row: Item,
): Promise<void> {
  const expired = expiredWatermarks(row, now);
  if (expired.length === 0) return;
  const removal = new UpdateCommand({
    TableName: table.tableName,
    Key: itemKey(generation, key),
    // A watermark that was updated in the meantime is in use.
    ...updateExpressions(
      { remove: expired.map(([attribute]) => attribute) },
      ...unchanged(Object.fromEntries(expired)),
    ),
  });
  await nullIfConditionFails(table.client.send(removal));
}

/**
 * The costs that a row has counted since the start of a recount of a budget.
 *
 * A recount starts at a time in the near future. What was written before is final once the stream has delivered it: the
 * cost of each row without this attribute. So the sum of these rows can be read at any time, while entries keep arriving.
 * Rows keep the attribute of a past recount.
 */
export function recountAttribute(recountFromMs: number): string {
  return `since_${recountFromMs.toString(36)}`;
}

/** Empty if no recount is in progress. */
function recountAddition({ recountFromMs, additions }: RowUpdate): Item {
  if (recountFromMs === undefined) return {};
  const usd = costSince(additions, recountFromMs);
  return usd === '0' ? {} : { [recountAttribute(recountFromMs)]: NumberValue.from(usd) };
}

function costSince(additions: RowUpdate['additions'], recountFromMs: number): Usd {
  return additions
    .filter(({ writtenAtMs }) => writtenAtMs !== null && writtenAtMs >= recountFromMs)
    .reduce((sum, { totals }) => addUsd(sum, totals.cost_usd), '0');
}
