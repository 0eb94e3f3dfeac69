/**
 * A log entry as a DynamoDB item: its fields, the keys of the table and its indexes, when it was written and when it
 * expires.
 *
 * What an index is for is stored once, in the index's key, behind the organization and its shard: every byte counts,
 * since an item over 1 kB costs twice, in each index again. A field that is `null` is left out, and with it the item
 * out of the field's index.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type LogEntry, logEntryFields, type StoredLogEntry } from '../entry.ts';
import { isUuid, shardOfLogId } from '../id.ts';

export const tableKey = 'organization_shard';
export const writtenAtAttribute = 'written_at';
export const expiryAttribute = 'expires_at';
const placeholderAttribute = 'placeholder_written_at';

/** The indexes: their names, and the attributes that are their partition keys. The sort key is the id, as the table's. */
export const indexes = {
  model: { name: 'by-model', key: 'model_key' },
  provider: { name: 'by-provider', key: 'provider_key' },
  prompt_id: { name: 'by-prompt', key: 'prompt_key' },
  session_id: { name: 'by-session', key: 'session_key' },
  user_id: { name: 'by-user', key: 'user_key' },
  status: { name: 'by-status', key: 'status_key' },
} as const;

export type IndexedField = keyof typeof indexes;

/** Nearly every entry has this status; who looks for it reads the table. */
export const unindexedStatus = 200;

/** What holds the value itself; `status` is a number, and not in every item's index, so it stays a field too. */
const heldByKey = ['model', 'provider', 'prompt_id', 'session_id', 'user_id'] as const;

const indexedFields = Object.keys(indexes) as IndexedField[];
const ownFields = logEntryFields.filter((field) => !heldByKey.some((held) => held === field));

export interface ItemTimes extends Omit<StoredLogEntry, 'entry'> {
  expiresAtSeconds: number;
}

export function toItem(entry: LogEntry, times: ItemTimes): Item {
  const partition = partitionOf(entry.organization_id, shardOfLogId(entry.id));
  const item: Item = { [tableKey]: partition };
  for (const field of ownFields) {
    if (entry[field] !== null) item[field] = entry[field];
  }
  for (const field of indexedFields) {
    const value = entry[field];
    if (value !== null && value !== unindexedStatus) item[indexes[field].key] = indexKey(partition, value);
  }
  item.cost_usd = NumberValue.from(entry.cost_usd);
  item[writtenAtAttribute] = times.writtenAtMs;
  item[expiryAttribute] = times.expiresAtSeconds;
  if (times.placeholderWrittenAtMs !== undefined) item[placeholderAttribute] = times.placeholderWrittenAtMs;
  return item;
}

/** The partition of the table that holds a shard of an organization. */
export function partitionOf(organizationId: string, shard: number): string {
  return `${organizationId}#${shard}`;
}

/** The partition of an index that holds what has this value. */
export function indexKey(partition: string, value: string | number): string {
  return `${partition}#${value}`;
}

const noValues = Object.fromEntries(logEntryFields.map((field) => [field, null]));

/** The entry that `toItem` wrote. Throws when the item lacks what every entry has. */
export function fromItem(item: Item): LogEntry {
  const { id, organization_id, created_at, outcome, cost_usd } = item;
  const isEntry =
    [id, organization_id, created_at, outcome].every((value) => typeof value === 'string') &&
    isUuid(String(id));
  if (!isEntry || cost_usd === undefined) throw new Error('The item is not a log entry');
  const fields = Object.entries(item).filter(([name]) => Object.hasOwn(noValues, name));
  const values = heldByKey.map((field) => [field, valueInKey(item, field)]);
  return {
    ...noValues,
    ...Object.fromEntries(fields),
    ...Object.fromEntries(values),
    cost_usd: String(cost_usd),
  };
}

export function storedFromItem(item: Item): StoredLogEntry {
  const placeholderWrittenAt = item[placeholderAttribute];
  return {
    entry: fromItem(item),
    writtenAtMs: Number(item[writtenAtAttribute]),
    ...(placeholderWrittenAt !== undefined && { placeholderWrittenAtMs: Number(placeholderWrittenAt) }),
  };
}

/** The entry in an image of a stream record. Throws when there is none. */
export function storedFromStreamImage(image: object | undefined): StoredLogEntry {
  if (image === undefined) throw new Error('The record has no such image');
  return storedFromItem(fromAttributes(image));
}

/** TTL takes its time: until DynamoDB has deleted an entry, whoever reads it leaves it out. */
export function isExpired(item: Item, now: Date): boolean {
  return Number(item[expiryAttribute]) * 1000 <= now.getTime();
}

function valueInKey(item: Item, field: IndexedField): string | null {
  const key = item[indexes[field].key];
  const prefix = `${item[tableKey]}#`;
  return typeof key === 'string' && key.startsWith(prefix) ? key.slice(prefix.length) : null;
}
