/**
 * A log entry as a DynamoDB item: its fields, the keys of the table and its indexes, when it was written and when it
 * expires.
 *
 * A value that has an index is stored once, in the index's key, behind the organization and its shard: every byte
 * counts, since an item over 1 kB costs twice, in each index again. A field that is `null` is left out, and with it the
 * item out of the field's index.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import {
  type LogEntry,
  type LogEntryField,
  logEntryFieldNames,
  moneyFields,
  type StoredLogEntry,
} from '../entry.ts';
import { isUuid, shardOfLogId } from '../id.ts';
import { type IndexedField, logEntriesSchema } from './schema.ts';

const { partitionKey, expiry, writtenAt, placeholderWrittenAt, indexes } = logEntriesSchema;

/** Nearly every entry has this status; a query for it reads the table. */
export const unindexedStatus = 200;

const indexedFields = Object.keys(indexes) as IndexedField[];

/** Stored in an index's key alone. `status` is a number, and most items have no key for it, so it is an attribute too. */
const keyFields = indexedFields.filter((field) => field !== 'status');
const attributeFields = logEntryFieldNames.filter((field) => !keyFields.some((key) => key === field));

export interface ItemTimes extends Omit<StoredLogEntry, 'entry'> {
  expiresAtSeconds: number;
}

export function toItem(entry: LogEntry, times: ItemTimes): Item {
  const partition = partitionOf(entry.organization_id, shardOfLogId(entry.id));
  const item: Item = { [partitionKey]: partition };
  for (const field of attributeFields) {
    if (entry[field] !== null) item[field] = entry[field];
  }
  for (const field of moneyFields) {
    if (entry[field] !== null) item[field] = NumberValue.from(String(entry[field]));
  }
  for (const field of indexedFields) {
    const value = entry[field];
    if (value === null || value === unindexedStatus) continue;
    item[indexes[field].partitionKey] = indexPartitionOf(partition, value);
  }
  item[writtenAt] = times.writtenAtMs;
  item[expiry] = times.expiresAtSeconds;
  if (times.placeholderWrittenAtMs !== undefined) item[placeholderWrittenAt] = times.placeholderWrittenAtMs;
  return item;
}

/** The partition of the table that holds a shard of an organization. */
export function partitionOf(organizationId: string, shard: number): string {
  return `${organizationId}#${shard}`;
}

/** The partition of an index that holds the items of a partition of the table that have this value. */
export function indexPartitionOf(partition: string, value: string | number): string {
  return `${partition}#${value}`;
}

/** The entry that `toItem` wrote. Throws when the item lacks what every entry has. */
export function fromItem(item: Item): LogEntry {
  const { id, organization_id, created_at, outcome, cost_usd } = item;
  const isEntry =
    [id, organization_id, created_at, outcome].every((value) => typeof value === 'string') &&
    isUuid(String(id));
  if (!isEntry || cost_usd === undefined) throw new Error('The item is not a log entry');
  const entry: Partial<Record<LogEntryField, unknown>> = {};
  // All fields first, so that they are in their order, which is that of the JSON.
  for (const field of logEntryFieldNames) entry[field] = item[field] ?? null;
  for (const field of keyFields) entry[field] = valueInKey(item, field);
  for (const field of moneyFields) if (entry[field] !== null) entry[field] = String(entry[field]);
  return entry as LogEntry;
}

function valueInKey(item: Item, field: IndexedField): string | null {
  const key = item[indexes[field].partitionKey];
  const prefix = `${item[partitionKey]}#`;
  return typeof key === 'string' && key.startsWith(prefix) ? key.slice(prefix.length) : null;
}

export function storedFromItem(item: Item): StoredLogEntry {
  const placeholderWrittenAtMs = item[placeholderWrittenAt];
  return {
    entry: fromItem(item),
    writtenAtMs: Number(item[writtenAt]),
    ...(placeholderWrittenAtMs !== undefined && { placeholderWrittenAtMs: Number(placeholderWrittenAtMs) }),
  };
}

/** The entry in an image of a stream record. Throws when there is none. */
export function storedFromStreamImage(image: object | undefined): StoredLogEntry {
  if (image === undefined) throw new Error('The record has no such image');
  return storedFromItem(fromAttributes(image));
}

/** DynamoDB deletes an item some time after it has expired: until then, reads leave it out. */
export function isExpired(item: Item, now: Date): boolean {
  return Number(item[expiry]) * 1000 <= now.getTime();
}
