/**
 * Adds to cost rollups, each entry once however often its stream record is delivered.
 *
 * A stream shard delivers its records in order, and delivers some again: after an error, a time-out, a batch that
 * was cut in two. So each row keeps, for each shard, the sequence number of the last record that it has counted
 * (its watermark), and moves it in the same conditional write as the sums. A record at or below the watermark
 * is in the sums already; a write whose condition fails has changed nothing. No order between shards is needed.
 */
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { RowAdditions } from './increments.ts';
import { addSums, type CostRollupsTable, itemKey, sumValues } from './item.ts';
import { totalsDimension } from './rollup.ts';
import { addTotals, noTotals } from './totals.ts';
import {
  expiredWatermarks,
  isCounted,
  type Source,
  sortableNumber,
  watermarkAt,
  watermarkAttribute,
} from './watermark.ts';

export interface CostRollupWriter {
  /**
   * Adds to rows, and adds nothing twice: each row knows for each source up to which number it has been added. A source's
   * additions come in the order of their numbers: when one is added, all before it have been, in this call or in others.
   */
  add(source: Source, rows: RowAdditions[]): Promise<void>;
}

/** As many connections as the AWS SDK keeps. */
const rowsAtOnce = 50;

export function createCostRollupWriter(table: CostRollupsTable, now: () => Date): CostRollupWriter {
  return {
    async add(source, rows) {
      const addToRow = (row: RowAdditions) => addRow(table, now, source, row);
      // Totals first: a reader of groups and then totals never finds more in the groups.
      const totals = rows.filter(({ key }) => key.dimension === totalsDimension);
      const groups = rows.filter(({ key }) => key.dimension !== totalsDimension);
      await forEachConcurrently(totals, rowsAtOnce, addToRow);
      await forEachConcurrently(groups, rowsAtOnce, addToRow);
    },
  };
}

async function addRow(
  table: CostRollupsTable,
  now: () => Date,
  source: Source,
  row: RowAdditions,
): Promise<void> {
  let { additions } = row;
  while (additions.length > 0) {
    const result = await tryAdd(table, now(), source, { ...row, additions });
    if ('row' in result) return removeExpiredWatermarks(table, now(), row, result.row);
    additions = additions.filter(
      ({ sequenceNumber }) => !isCounted(sortableNumber(sequenceNumber), result.watermark),
    );
  }
}

/** Adds all or nothing, and moves the watermark. Returns the new row, or the watermark that conflicts with the additions. */
async function tryAdd(
  table: CostRollupsTable,
  now: Date,
  source: Source,
  { generation, key, additions }: RowAdditions,
): Promise<{ row: Item } | { watermark: string }> {
  const [first, last] = [additions.at(0), additions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There is nothing to add');
  const attribute = watermarkAttribute(source);
  try {
    const { Attributes = {} } = await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: itemKey(generation, key),
        UpdateExpression: `${addSums} SET #watermark = :last`,
        ConditionExpression: 'attribute_not_exists(#watermark) OR #watermark < :first',
        ExpressionAttributeNames: { '#watermark': attribute },
        ExpressionAttributeValues: {
          ...sumValues(additions.map(({ totals }) => totals).reduce(addTotals, noTotals)),
          ':first': sortableNumber(first.sequenceNumber),
          ':last': watermarkAt(source, sortableNumber(last.sequenceNumber), now),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { row: Attributes };
  } catch (error) {
    // A replay locks the row for some milliseconds: nothing was added, and the same additions are tried again.
    if (error instanceof TransactionConflictException) return { watermark: '' };
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const watermark = error.Item?.[attribute]?.S;
    if (watermark === undefined) throw error;
    return { watermark };
  }
}

/** Each stream shard lives some hours and leaves a watermark: without this, a row would grow as long as it is used. */
async function removeExpiredWatermarks(
  table: CostRollupsTable,
  now: Date,
  { generation, key }: RowAdditions,
  row: Item,
): Promise<void> {
  const expired = expiredWatermarks(row, now);
  if (expired.length === 0) return;
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: itemKey(generation, key),
        UpdateExpression: `REMOVE ${expired.map((_, index) => `#w${index}`).join(', ')}`,
        // One that was moved since then is in use.
        ConditionExpression: expired.map((_, index) => `#w${index} = :w${index}`).join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(expired.map(([name], index) => [`#w${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(expired.map(([, at], index) => [`:w${index}`, at])),
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
