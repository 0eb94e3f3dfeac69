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
import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { rowAdditionsOf } from './increments.ts';
import { type CostRollupsTable, itemKey } from './item.ts';
import type { CostRollupWriter, RowAdditions } from './rollup.ts';
import { addSums, addTotals, noTotals, sumValues } from './totals.ts';

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
    if ('row' in result) return removeExpiredWatermarks(writing, row, result.row);
    additions = additions.filter(
      ({ sequenceNumber }) => !isCounted(sortableNumber(sequenceNumber), result.conflicting),
    );
  }
}

/** Adds all or nothing, and moves the watermark. Says what the row became, or which watermark was in the way. */
async function tryAdd(
  { table, source, now }: RollupWriting,
  { generation, key, additions }: RowAdditions,
): Promise<{ row: Item } | { conflicting: string }> {
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
    if (error instanceof TransactionConflictException) return { conflicting: '' };
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const conflicting = error.Item?.[watermark]?.S;
    if (conflicting === undefined) throw error;
    return { conflicting };
  }
}

function endsOf(additions: RowAdditions['additions']): [first: string, last: string] {
  const [first, last] = [additions.at(0), additions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There is nothing to add');
  return [sortableNumber(first.sequenceNumber), sortableNumber(last.sequenceNumber)];
}

/** Each stream shard lives some hours and leaves a watermark: without this, a row would grow as long as it is used. */
async function removeExpiredWatermarks(
  { table, now }: RollupWriting,
  { generation, key }: RowAdditions,
  row: Item,
): Promise<void> {
  const expired = expiredWatermarks(row, now());
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

// Watermarks: of each source, the last record that a row has counted, in an attribute of the row.
//
// The text sorts as the numbers do: a number's length in two digits, then the number. A stream shard's goes on with the
// hour in which it was moved, since it is of no use for ever: what it stands for was in the stream by then, and a stream
// keeps nothing longer than 24 hours. Other sources, such as a rebuild that stopped, may come again at any time.

const attributePrefix = 'w#';
const streamShardPrefix = 'shardId-';
const hourMs = 3_600_000;

/** Longer than a stream keeps a record, by more than clocks are apart and a function runs. */
const keptHours = 26;

export function watermarkAttribute(source: string): string {
  return `${attributePrefix}${source.startsWith(streamShardPrefix) ? source.slice(streamShardPrefix.length) : source}`;
}

/** Sorts as the number does, and before the watermark that stands at it. */
export function sortableNumber(sequenceNumber: string): string {
  return `${String(sequenceNumber.length).padStart(2, '0')}${sequenceNumber}`;
}

export function watermarkAt(source: string, sortable: string, now: Date): string {
  return source.startsWith(streamShardPrefix) ? `${sortable}@${hourOf(now)}` : sortable;
}

/** Whether a watermark says that the record is in the sums. */
export function isCounted(sortable: string, watermark: string): boolean {
  return sortable <= watermark;
}

/** The row's watermarks of which the stream can bring nothing any more. */
export function expiredWatermarks(row: Item, now: Date): [attribute: string, watermark: string][] {
  return Object.entries(row).flatMap(([attribute, value]) => {
    const movedInHour = attribute.startsWith(attributePrefix)
      ? /@(\d+)$/.exec(String(value))?.[1]
      : undefined;
    const isExpired = movedInHour !== undefined && hourOf(now) - Number(movedInHour) > keptHours;
    return isExpired ? [[attribute, String(value)]] : [];
  });
}

function hourOf(time: Date): number {
  return Math.floor(time.getTime() / hourMs);
}
