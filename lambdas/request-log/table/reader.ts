/** Log entries out of their table: one by its id, or those of a shard newest first. */
import { GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { LogEntryRange, LogEntryReader, LogStep } from '../entry.ts';
import { firstLogIdAt, lastLogIdAt, shardOfLogId } from '../id.ts';
import {
  expiryAttribute,
  fromItem,
  type IndexedField,
  indexes,
  indexKey,
  isExpired,
  partitionOf,
  tableKey,
  unindexedStatus,
} from './item.ts';
import type { LogEntriesTable } from './sdk-writer.ts';

type Query = Omit<QueryCommandInput, 'TableName'>;

/** Which index is read when several could be: the one that has the fewest entries for a value. */
const bySelectivity = ['session_id', 'user_id', 'prompt_id', 'status', 'model', 'provider'] as const;

export function createLogEntryReader(table: LogEntriesTable): LogEntryReader {
  return {
    async find(organizationId, id) {
      const { Item } = await table.client.send(
        new GetCommand({
          TableName: table.tableName,
          Key: { [tableKey]: partitionOf(organizationId, shardOfLogId(id)), id },
          ConsistentRead: true,
        }),
      );
      return Item === undefined || isExpired(Item, table.now()) ? null : fromItem(Item);
    },
    newestFirst: (range) => readNewestFirst(table, range),
  };
}

async function* readNewestFirst(table: LogEntriesTable, range: LogEntryRange): AsyncGenerator<LogStep> {
  const bounds = idBounds(range);
  if (bounds === null) return;
  const query: QueryCommandInput = {
    TableName: table.tableName,
    ScanIndexForward: false,
    Limit: range.pageSize,
    ...queryFor(range, { ...bounds, ':now': table.now().getTime() / 1000 }),
  };
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = await table.client.send(new QueryCommand({ ...query, ExclusiveStartKey }));
    for (const item of page.Items ?? []) {
      const entry = fromItem(item);
      yield { id: entry.id, entry };
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (ExclusiveStartKey !== undefined) {
      yield { id: String(ExclusiveStartKey.id), entry: null, evaluated: page.ScannedCount ?? 0 };
    }
  } while (ExclusiveStartKey !== undefined);
}

/** `null` when no id can be in the range: DynamoDB refuses one that ends before it starts. */
function idBounds({ window, before }: LogEntryRange) {
  const lowest = firstLogIdAt(window.startMs);
  const last = lastLogIdAt(window.endMs - 1);
  const highest = before !== undefined && before <= last ? idBelow(before) : last;
  return window.startMs >= window.endMs || lowest > highest
    ? null
    : { ':lowest': lowest, ':highest': highest };
}

/** The next lower id, since BETWEEN includes both of its bounds. */
function idBelow(id: string): string {
  const below = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const digits = below < 0n ? '' : below.toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Reads one index, or the table; what that does not narrow is filtered. */
function queryFor({ organizationId, shard, filter }: LogEntryRange, values: object): Query {
  const partition = partitionOf(organizationId, shard);
  const conditions = bySelectivity.flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : [{ field, value }];
  });
  const indexed = conditions.find(({ value }) => value !== unindexedStatus);
  const others = conditions.filter((condition) => condition !== indexed);
  return {
    ...(indexed !== undefined && { IndexName: indexes[indexed.field].name }),
    KeyConditionExpression: '#key = :key AND #id BETWEEN :lowest AND :highest',
    FilterExpression: ['#expiry > :now', ...others.map(({ field }) => `#${field} = :${field}`)].join(' AND '),
    ExpressionAttributeNames: {
      '#key': indexed === undefined ? tableKey : indexes[indexed.field].key,
      '#id': 'id',
      '#expiry': expiryAttribute,
      ...Object.fromEntries(others.map(({ field }) => [`#${field}`, attributeOf(field)])),
    },
    ExpressionAttributeValues: {
      ':key': indexed === undefined ? partition : indexKey(partition, indexed.value),
      ...values,
      ...Object.fromEntries(
        others.map(({ field, value }) => [
          `:${field}`,
          field === 'status' ? value : indexKey(partition, value),
        ]),
      ),
    },
  };
}

/** The status is a field as well, since most entries are not in its index. */
function attributeOf(field: IndexedField): string {
  return field === 'status' ? field : indexes[field].key;
}
