import { GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { namedErrorCodes, statusInErrorCode } from '#lambdas/request-log/error-code.ts';
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
import { type FilterField, type LogEntryFilter, unindexedFields } from './query.ts';

export interface LogEntryRange {
  organizationId: string;
  shard: number;
  filter: LogEntryFilter;
  window: TimeWindow;
}

interface LogEntryPage {
  /** Newest first; can be empty when the filter matches few entries. */
  entries: LogEntry[];
  /** The id of the last scanned item, matching or not; `null` on the last page of the range. */
  lastEvaluatedId: string | null;
  /** Includes items that do not match the filter. */
  scannedCount: number;
}

export interface LogEntryReader {
  /** Strongly consistent. */
  find(organizationId: string, id: string): Promise<LogEntry | null>;
  /** Eventually consistent. Reads up to `pageSize` items that are older than the id `before`. */
  readPage(range: LogEntryRange, before: string | undefined, pageSize: number): Promise<LogEntryPage>;
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

    async readPage(range, before, pageSize) {
      const bounds = idBounds(range.window, before);
      if (bounds === null) return { entries: [], lastEvaluatedId: null, scannedCount: 0 };
      const {
        Items = [],
        LastEvaluatedKey,
        ScannedCount = 0,
      } = await table.client.send(
        new QueryCommand({
          TableName: table.tableName,
          ScanIndexForward: false,
          Limit: pageSize,
          ...queryFor(range, { ...bounds, ':now': table.now().getTime() / 1000 }),
        }),
      );
      const lastEvaluatedId = LastEvaluatedKey === undefined ? null : String(LastEvaluatedKey[sortKey]);
      return { entries: Items.map(fromItem), lastEvaluatedId, scannedCount: ScannedCount };
    },
  };
}

/** Returns `null` for an empty range, since DynamoDB rejects a range that ends before it starts. */
function idBounds(window: TimeWindow, before: string | undefined) {
  const first = firstLogIdAt(window.startMs);
  const last = lastLogIdAt(window.endMs - 1);
  const highest = before !== undefined && before <= last ? previousId(before) : last;
  return window.startMs >= window.endMs || first > highest ? null : { ':lowest': first, ':highest': highest };
}

/** Returns the next lower id: `BETWEEN` includes its bounds, but a page must not include `before`. */
function previousId(id: string): string {
  const previous = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const digits = previous < 0n ? '' : previous.toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

interface Condition<Field extends FilterField> {
  field: Field;
  value: string | number;
}

/** Queries an index or the table, and filters by the conditions that its key does not cover. */
function queryFor(
  { organizationId, shard, filter }: LogEntryRange,
  values: object,
): Omit<QueryCommandInput, 'TableName'> {
  const partition = partitionOf(organizationId, shard);
  const conditions = conditionsOn(bySelectivity, filter);
  const indexed = conditions.find(({ value }) => value !== unindexedStatus);
  const others = [
    ...conditions
      .filter((condition) => condition !== indexed)
      .map((condition) => equalityCondition(condition.field, attributeFor(condition, partition))),
    ...conditionsOn(unindexedFields, filter).map(({ field, value }) =>
      field === 'operation' && value === unnamedOperation
        ? absenceCondition(field)
        : equalityCondition(field, { name: field, value }),
    ),
    ...(filter.error_code === undefined ? [] : [errorCondition(filter.error_code)]),
  ];
  return {
    ...(indexed !== undefined && { IndexName: indexes[indexed.field].name }),
    KeyConditionExpression: '#key = :key AND #id BETWEEN :lowest AND :highest',
    FilterExpression: ['#expiry > :now', ...others.map(({ expression }) => expression)].join(' AND '),
    ExpressionAttributeNames: {
      '#key': indexed === undefined ? partitionKey : indexes[indexed.field].partitionKey,
      '#id': sortKey,
      '#expiry': expiry,
      ...Object.assign({}, ...others.map(({ names }) => names)),
    },
    ExpressionAttributeValues: {
      ':key': indexed === undefined ? partition : indexPartitionOf(partition, indexed.value),
      ...values,
      ...Object.assign({}, ...others.map(({ values: own }) => own)),
    },
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

function equalityCondition(field: FilterField, { name, value }: Attribute): FilterCondition {
  return {
    expression: `#${field} = :${field}`,
    names: { [`#${field}`]: name },
    values: { [`:${field}`]: value },
  };
}

function absenceCondition(field: FilterField): FilterCondition {
  return { expression: `attribute_not_exists(#${field})`, names: { [`#${field}`]: field }, values: {} };
}

/** A part of a filter expression, with the names and values that it uses. */
interface FilterCondition {
  expression: string;
  names: Record<string, string>;
  values: Record<string, string | number>;
}

/** `matchesErrorCode` as a filter expression on items. */
function errorCondition(code: string): FilterCondition {
  const names = { '#error_code': 'error_code' };
  const status = statusInErrorCode(code);
  if (status === null)
    return { expression: '#error_code = :error_code', names, values: { ':error_code': code } };
  const namedCodes = Object.fromEntries(
    namedErrorCodes.map((named, index) => [`:error_code${index}`, named]),
  );
  return {
    expression:
      'attribute_exists(#error_code) AND #error_status = :error_status' +
      ` AND NOT #error_code IN (${Object.keys(namedCodes).join(', ')})`,
    names: { ...names, '#error_status': 'status' },
    values: { ...namedCodes, ':error_status': status },
  };
}
