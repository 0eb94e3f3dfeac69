/** Reads log entries from their table: one by its id, or a page of those of a shard, newest first. */
import { GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '../entry.ts';
import { firstLogIdAt, lastLogIdAt, shardOfLogId } from '../id.ts';
import { fromItem, indexPartitionOf, isExpired, partitionOf, unindexedStatus } from '../table/item.ts';
import type { LogEntriesTable } from '../table/log-entries-table.ts';
import { type IndexedField, logEntriesSchema } from '../table/schema.ts';
import type { LogEntryFilter } from './query.ts';

/** The entries of one shard of an organization that match a filter. */
export interface LogEntryRange {
  organizationId: string;
  shard: number;
  filter: LogEntryFilter;
  window: TimeWindow;
}

export interface LogEntryPage {
  /** Newest first; can be empty where the filter matches little. */
  entries: LogEntry[];
  /** The id that the table was read down to; `null` when nothing is left of the run. */
  readTo: string | null;
  /** How many items were read, with those that the filter has left out. */
  scanned: number;
}

export interface LogEntryReader {
  /** One strongly consistent read. */
  find(organizationId: string, id: string): Promise<LogEntry | null>;
  /** One eventually consistent read of `pageSize` items, of entries older than the id `before`. */
  readPage(run: LogEntryRange, before: string | undefined, pageSize: number): Promise<LogEntryPage>;
}

/** The most selective index first: of those that a filter allows, the one that has the fewest entries for a value. */
const bySelectivity = ['session_id', 'user_id', 'prompt_id', 'status', 'model', 'provider'] as const;

const { partitionKey, sortKey, expiry, indexes } = logEntriesSchema;

export function createLogEntryReader(table: LogEntriesTable): LogEntryReader {
  return {
    async find(organizationId, id) {
      const { Item } = await table.client.send(
        new GetCommand({
          TableName: table.tableName,
          Key: { [partitionKey]: partitionOf(organizationId, shardOfLogId(id)), [sortKey]: id },
          ConsistentRead: true,
        }),
      );
      return Item === undefined || isExpired(Item, table.now()) ? null : fromItem(Item);
    },

    async readPage(run, before, pageSize) {
      const bounds = idBounds(run.window, before);
      if (bounds === null) return { entries: [], readTo: null, scanned: 0 };
      const {
        Items = [],
        LastEvaluatedKey,
        ScannedCount = 0,
      } = await table.client.send(
        new QueryCommand({
          TableName: table.tableName,
          ScanIndexForward: false,
          Limit: pageSize,
          ...queryFor(run, { ...bounds, ':now': table.now().getTime() / 1000 }),
        }),
      );
      const readTo = LastEvaluatedKey === undefined ? null : String(LastEvaluatedKey[sortKey]);
      return { entries: Items.map(fromItem), readTo, scanned: ScannedCount };
    },
  };
}

/** `null` when no id can be in the range: DynamoDB refuses one that ends before it starts. */
function idBounds(window: TimeWindow, before: string | undefined) {
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

/** Queries one index, or the table, and filters by the conditions that the index does not cover. */
function queryFor(
  { organizationId, shard, filter }: LogEntryRange,
  values: object,
): Omit<QueryCommandInput, 'TableName'> {
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
      '#key': indexed === undefined ? partitionKey : indexes[indexed.field].partitionKey,
      '#id': sortKey,
      '#expiry': expiry,
      ...Object.fromEntries(others.map(({ field }) => [`#${field}`, attributeOf(field)])),
    },
    ExpressionAttributeValues: {
      ':key': indexed === undefined ? partition : indexPartitionOf(partition, indexed.value),
      ...values,
      ...Object.fromEntries(
        others.map(({ field, value }) => [
          `:${field}`,
          field === 'status' ? value : indexPartitionOf(partition, value),
        ]),
      ),
    },
  };
}

/** The status is an attribute of its own, since most entries are not in its index. */
function attributeOf(field: IndexedField): string {
  return field === 'status' ? field : indexes[field].partitionKey;
}
