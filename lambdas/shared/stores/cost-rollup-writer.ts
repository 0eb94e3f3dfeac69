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
import type { CostRollupWriter, RowAdditions } from '../domain/rollup.ts';
import { addTotals, noTotals } from '../domain/totals.ts';
import { forEachAtOnce } from '../domain/work-pool.ts';
import { type CostRollupsTable, itemKey } from './cost-rollup-item.ts';
import {
  isCounted,
  outlivedWatermarks,
  sortableNumber,
  watermarkAt,
  watermarkAttribute,
} from './rollup-watermark.ts';
import { rowAdditionsOf } from './row-additions.ts';
import { addSums, sumValues } from './row-sums.ts';
import type { Item } from './table-calls.ts';

/** As many connections as the AWS SDK keeps. */
const rowsAtOnce = 50;

interface RollupWriting {
  table: CostRollupsTable;
  source: string;
  now(): Date;
}

export function createCostRollupWriter(table: CostRollupsTable, now: () => Date): CostRollupWriter {
  const addToRows = async (source: string, rows: RowAdditions[]) => {
    const writing = { table, source, now };
    // Totals first: who reads groups and after that totals never finds more in the groups.
    const totals = rows.filter(({ key }) => key.dimension === 'model');
    const groups = rows.filter(({ key }) => key.dimension !== 'model');
    await forEachAtOnce(totals, rowsAtOnce, (row) => addToRow(writing, row));
    await forEachAtOnce(groups, rowsAtOnce, (row) => addToRow(writing, row));
  };
  return {
    addToRows,
    add: (source, records, generationsOf) => addToRows(source, rowAdditionsOf(records, generationsOf)),
  };
}

async function addToRow(writing: RollupWriting, row: RowAdditions): Promise<void> {
  let { additions } = row;
  while (additions.length > 0) {
    const result = await tryAdd(writing, { ...row, additions });
    if ('row' in result) return removeOutlived(writing, row, result.row);
    additions = additions.filter(
      ({ sequenceNumber }) => !isCounted(sortableNumber(sequenceNumber), result.inTheWay),
    );
  }
}

/** Adds all or nothing, and moves the watermark. Says what the row became, or which watermark was in the way. */
async function tryAdd(
  { table, source, now }: RollupWriting,
  { generation, key, additions }: RowAdditions,
): Promise<{ row: Item } | { inTheWay: string }> {
  const [first, last] = endsOf(additions);
  const watermark = watermarkAttribute(source);
  try {
    const { Attributes = {} } = await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: itemKey(generation, key),
        UpdateExpression: `${addSums} SET #watermark = :last`,
        ConditionExpression: 'attribute_not_exists(#watermark) OR #watermark < :first',
        ExpressionAttributeNames: { '#watermark': watermark },
        ExpressionAttributeValues: {
          ...sumValues(additions.map(({ totals }) => totals).reduce(addTotals, noTotals)),
          ':first': first,
          ':last': watermarkAt(source, last, now()),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { row: Attributes };
  } catch (error) {
    // A replay has the row, for some milliseconds: nothing was added, and nothing stands in the way.
    if (error instanceof TransactionConflictException) return { inTheWay: '' };
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const inTheWay = error.Item?.[watermark]?.S;
    if (inTheWay === undefined) throw error;
    return { inTheWay };
  }
}

function endsOf(additions: RowAdditions['additions']): [first: string, last: string] {
  const [first, last] = [additions.at(0), additions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There is nothing to add');
  return [sortableNumber(first.sequenceNumber), sortableNumber(last.sequenceNumber)];
}

/** Each stream shard lives some hours and leaves a watermark: without this, a row would grow as long as it is used. */
async function removeOutlived(
  { table, now }: RollupWriting,
  { generation, key }: RowAdditions,
  row: Item,
): Promise<void> {
  const outlived = outlivedWatermarks(row, now());
  if (outlived.length === 0) return;
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: itemKey(generation, key),
        UpdateExpression: `REMOVE ${outlived.map((_, index) => `#w${index}`).join(', ')}`,
        // One that was moved since then is in use.
        ConditionExpression: outlived.map((_, index) => `#w${index} = :w${index}`).join(' AND '),
        ExpressionAttributeNames: Object.fromEntries(outlived.map(([name], index) => [`#w${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(outlived.map(([, at], index) => [`:w${index}`, at])),
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
