import { GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { ascending, descending } from '#lambdas/platform/merge-sorted.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { firstLogIdAt, lastLogIdAt, shardOfLogId } from '#lambdas/request-log/id.ts';
import { unnamedOperation } from '#lambdas/request-log/operation.ts';
import {
  fromItem,
  indexPartitionOf,
  isExpired,
  partitionOf,
  unindexedStatus,
} from '#lambdas/request-log/table/item.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type IndexedField, logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import { absenceCondition, boundConditions, equalityCondition, errorCondition } from './filter-expression.ts';
import type { ListOrder } from './query/order.ts';
import { type EntryBounds, type FilterField, type LogEntryFilter, unindexedFields } from './query/query.ts';

export interface LogEntryRange {
  organizationId: string;
  shard: number;
  filter: LogEntryFilter;
  /** None when missing. */
  bounds?: EntryBounds;
  window: TimeWindow;
  /** The newest first when missing. */
  direction?: ListOrder['direction'];
}

interface LogEntryPage {
  /** In the direction of the range; can be empty when the filter matches few entries. */
  entries: LogEntry[];
  /** The id of the last scanned item, matching or not; `null` on the last page of the range. */
  lastEvaluatedId: string | null;
  /** Includes items that do not match the filter. */
  scannedCount: number;
}

export interface LogEntryReader {
  /** Strongly consistent. */
  find(organizationId: string, id: string): Promise<LogEntry | null>;
  /** Eventually consistent. Reads up to `pageSize` items that follow the id `after` in the direction of the range. */
  readPage(range: LogEntryRange, after: string | undefined, pageSize: number): Promise<LogEntryPage>;
}

/** Most selective first: a query uses the index whose values have the fewest entries. */
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

    async readPage(range, after, pageSize) {
      const ids = idBounds(range, after);
      if (ids === null) return { entries: [], lastEvaluatedId: null, scannedCount: 0 };
      if (table.indexesResponseIds && range.filter.response_id !== undefined) {
        const page = await readByResponseId(table, range, ids);
        if (page !== null) return page;
      }
      const {
        Items = [],
        LastEvaluatedKey,
        ScannedCount = 0,
      } = await table.client.send(
        new QueryCommand({
          TableName: table.tableName,
          ScanIndexForward: range.direction === 'asc',
          Limit: pageSize,
          ...queryFor(range, { ...ids, ':now': table.now().getTime() / 1000 }),
        }),
      );
      const lastEvaluatedId = LastEvaluatedKey === undefined ? null : String(LastEvaluatedKey[sortKey]);
      return { entries: Items.map(fromItem), lastEvaluatedId, scannedCount: ScannedCount };
    },
  };
}

/** Far more than entries with an id that is unique. */
const maxSameIds = 100;

/** All entries of the range; `null` if there are too many, since the index does not have them in the order of time. */
async function readByResponseId(
  { client, tableName, now }: LogEntriesTable,
  range: LogEntryRange,
  ids: IdBounds,
): Promise<LogEntryPage | null> {
  const { response_id: responseId, ...filter } = range.filter;
  const { name, sortKey: responseKey } = logEntriesSchema.responseIdIndex;
  const query = filterFor({ ...range, filter }, null);
  const {
    Items = [],
    LastEvaluatedKey,
    ScannedCount = 0,
  } = await client.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: name,
      Limit: maxSameIds,
      KeyConditionExpression: '#key = :key AND #response = :response',
      FilterExpression: `#id BETWEEN :lowest AND :highest AND ${query.expression}`,
      ExpressionAttributeNames: {
        '#key': partitionKey,
        '#response': responseKey,
        '#id': sortKey,
        ...query.names,
      },
      ExpressionAttributeValues: {
        ':key': partitionOf(range.organizationId, range.shard),
        ':response': responseId,
        ...ids,
        ':now': now().getTime() / 1000,
        ...query.values,
      },
    }),
  );
  if (LastEvaluatedKey !== undefined) return null;
  const compare = range.direction === 'asc' ? ascending : descending;
  const entries = Items.map(fromItem).sort((one, other) => compare(one.id, other.id));
  return { entries, lastEvaluatedId: null, scannedCount: ScannedCount };
}

interface IdBounds {
  ':lowest': string;
  ':highest': string;
}

/** Returns `null` for an empty range, since DynamoDB rejects a range that ends before it starts. */
function idBounds({ window, direction }: LogEntryRange, after: string | undefined): IdBounds | null {
  const first = firstLogIdAt(window.startMs);
  const last = lastLogIdAt(window.endMs - 1);
  const isAscending = direction === 'asc';
  const lowest = isAscending && after !== undefined && after >= first ? neighbourOf(after, 1n) : first;
  const highest = !isAscending && after !== undefined && after <= last ? neighbourOf(after, -1n) : last;
  return window.startMs >= window.endMs || lowest > highest
    ? null
    : { ':lowest': lowest, ':highest': highest };
}

/** Returns the next id, lower or higher: `BETWEEN` includes its bounds, but a page must not include `after`. */
function neighbourOf(id: string, step: 1n | -1n): string {
  const neighbour = BigInt(`0x${id.replaceAll('-', '')}`) + step;
  const digits = neighbour < 0n ? '' : neighbour.toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

interface Condition<Field extends FilterField> {
  field: Field;
  value: string | number;
}

/** Queries an index or the table, and filters by the conditions that its key does not cover. */
function queryFor(range: LogEntryRange, values: object): Omit<QueryCommandInput, 'TableName'> {
  const partition = partitionOf(range.organizationId, range.shard);
  const conditions = conditionsOn(bySelectivity, range.filter);
  const indexed = conditions.find(({ value }) => value !== unindexedStatus);
  const filter = filterFor(range, indexed?.field ?? null);
  return {
    ...(indexed !== undefined && { IndexName: indexes[indexed.field].name }),
    KeyConditionExpression: '#key = :key AND #id BETWEEN :lowest AND :highest',
    FilterExpression: filter.expression,
    ExpressionAttributeNames: {
      '#key': indexed === undefined ? partitionKey : indexes[indexed.field].partitionKey,
      '#id': sortKey,
      ...filter.names,
    },
    ExpressionAttributeValues: {
      ':key': indexed === undefined ? partition : indexPartitionOf(partition, indexed.value),
      ...values,
      ...filter.values,
    },
  };
}

/** The conditions apart from that on the field in the key; `:now` is the caller's. */
function filterFor(
  { organizationId, shard, filter, bounds }: LogEntryRange,
  keyField: IndexedField | null,
): { expression: string; names: Record<string, string>; values: object } {
  const partition = partitionOf(organizationId, shard);
  const others = [
    ...conditionsOn(bySelectivity, filter)
      .filter(({ field }) => field !== keyField)
      .map((condition) => equalityCondition(condition.field, attributeFor(condition, partition))),
    ...conditionsOn(unindexedFields, filter).map(({ field, value }) =>
      field === 'operation' && value === unnamedOperation
        ? absenceCondition(field)
        : equalityCondition(field, { name: field, value }),
    ),
    ...(filter.error_code === undefined ? [] : [errorCondition(filter.error_code)]),
    ...(bounds === undefined ? [] : boundConditions(bounds)),
  ];
  return {
    expression: ['#expiry > :now', ...others.map(({ expression }) => expression)].join(' AND '),
    names: { '#expiry': expiry, ...Object.assign({}, ...others.map(({ names }) => names)) },
    values: Object.assign({}, ...others.map(({ values }) => values)),
  };
}

function conditionsOn<Field extends FilterField>(
  fields: readonly Field[],
  filter: LogEntryFilter,
): Condition<Field>[] {
  return fields.flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : [{ field, value }];
  });
}

interface Attribute {
  name: string;
  value: string | number;
}

/** Returns the attribute with the field's value. The status has its own, since most entries are not in its index. */
function attributeFor({ field, value }: Condition<IndexedField>, partition: string): Attribute {
  if (field === 'status') return { name: field, value };
  return { name: indexes[field].partitionKey, value: indexPartitionOf(partition, value) };
}
