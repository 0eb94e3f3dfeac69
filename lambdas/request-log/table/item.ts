/**
 * Converts log entries to and from DynamoDB items: the fields, the keys of the table and its indexes, the write time
 * and the expiry.
 *
 * An indexed value is stored only once, in the index's partition key, after the organization and its shard. Every byte
 * counts: an item over 1 kB costs a second write unit, in the table and in each index. Fields that are `null` are left
 * out, and then the item is not in the field's index either. So is the operation of most requests, `unnamedOperation`, and
 * the time of the request, which the id has.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb';
import { fromAttributes } from '#lambdas/platform/dynamodb/attributes.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import {
  type LogEntry,
  type LogEntryField,
  logEntryFieldNames,
  moneyFields,
  type ReplacedPlaceholder,
  type StoredLogEntry,
} from '../entry.ts';
import { billedPartFieldNames } from '../fields/billed-part.ts';
import { refusalFieldNames } from '../fields/refusal.ts';
import { skippedTargetFields } from '../fields/skipped-target.ts';
import { shardOfLogId, timestampOfLogId } from '../id.ts';
import { unnamedOperation } from '../operation.ts';
import { type IndexedField, logEntriesSchema } from './schema.ts';

const { partitionKey, expiry, writtenAt, placeholder, restored, indexes } = logEntriesSchema;

/** Nearly every entry has this status, so it is not indexed; a query for it reads the table. */
export const unindexedStatus = 200;

const indexedFields = Object.keys(indexes) as IndexedField[];

/** Fields stored in an index key only. `status` is also an attribute, since most items are not in its index. */
const keyOnlyFields = indexedFields.filter((field) => field !== 'status');
/** The operation is apart, since most items do not name it. */
const otherFields: readonly LogEntryField[] = ['operation', 'created_at', ...keyOnlyFields];
const attributeFields = logEntryFieldNames.filter((field) => !otherFields.includes(field));

export interface ItemTimes extends Omit<StoredLogEntry, 'entry' | 'isRestored'> {
  expiresAtSeconds: number;
}

export function toItem(entry: LogEntry, times: ItemTimes): Item {
  const partition = partitionOf(entry.organization_id, shardOfLogId(entry.id));
  const item: Item = { [partitionKey]: partition };
  for (const field of attributeFields) {
    if (entry[field] !== null) item[field] = entry[field];
  }
  if (entry.operation !== unnamedOperation) item.operation = entry.operation;
  for (const field of moneyFields) {
    if (entry[field] !== null) item[field] = NumberValue.from(String(entry[field]));
  }
  if (entry.refusal !== null) item.refusal = withoutNulls(entry.refusal);
  if (entry.skipped_targets !== null) item.skipped_targets = entry.skipped_targets.map(withoutNulls);
  for (const field of indexedFields) {
    const value = entry[field];
    if (value === null || value === unindexedStatus) continue;
    item[indexes[field].partitionKey] = indexPartitionOf(partition, value);
  }
  item[writtenAt] = times.writtenAtMs;
  item[expiry] = times.expiresAtSeconds;
  if (times.placeholder !== undefined) item[placeholder] = toPlaceholderItem(times.placeholder);
  return item;
}

export function partitionOf(organizationId: string, shard: number): string {
  return `${organizationId}#${shard}`;
}

export function indexPartitionOf(partition: string, value: string | number): string {
  return `${partition}#${value}`;
}

/** Throws when a required attribute is missing. */
export function fromItem(item: Item): LogEntry {
  const { id, organization_id, outcome, cost_usd } = item;
  const isEntry =
    [id, organization_id, outcome].every((value) => typeof value === 'string') && isUuid(String(id));
  if (!isEntry || cost_usd === undefined) throw new Error('The item is not a log entry');
  const entry: Partial<Record<LogEntryField, unknown>> = {};
  // Set all fields first, so that they are in the order of the API's JSON.
  for (const field of logEntryFieldNames) entry[field] = item[field] ?? null;
  entry.created_at = new Date(timestampOfLogId(String(id))).toISOString();
  for (const field of keyOnlyFields) entry[field] = valueInKey(item, field);
  entry.operation ??= unnamedOperation;
  for (const field of moneyFields) if (entry[field] !== null) entry[field] = String(entry[field]);
  const { billed_parts: parts, refusal, skipped_targets: skipped } = item;
  if (Array.isArray(parts)) entry.billed_parts = parts.map((part) => inOrder(part, billedPartFieldNames()));
  if (Array.isArray(skipped))
    entry.skipped_targets = skipped.map((target) =>
      inOrder({ param: null, ...target }, Object.keys(skippedTargetFields)),
    );
  if (isJsonObject(refusal))
    entry.refusal = inOrder({ api_key_id: null, ...refusal }, refusalFieldNames(refusal));
  return entry as LogEntry;
}

function withoutNulls(map: object): Item {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));
}

/** DynamoDB does not keep the order of the members of a map. */
function inOrder(map: Item, names: readonly string[]): Item {
  const present = names.filter((name) => map[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, map[name]]));
}

function valueInKey(item: Item, field: IndexedField): string | null {
  const key = item[indexes[field].partitionKey];
  const prefix = `${item[partitionKey]}#`;
  return typeof key === 'string' && key.startsWith(prefix) ? key.slice(prefix.length) : null;
}

export function storedFromItem(item: Item): StoredLogEntry {
  const replaced = item[placeholder];
  return {
    entry: fromItem(item),
    writtenAtMs: Number(item[writtenAt]),
    ...(isJsonObject(replaced) && { placeholder: readPlaceholder(replaced) }),
    ...(item[restored] !== undefined && item[restored] === item[writtenAt] && { isRestored: true as const }),
  };
}

function toPlaceholderItem({ writtenAtMs, cost_usd, ...others }: ReplacedPlaceholder): Item {
  return { [writtenAt]: writtenAtMs, cost_usd: NumberValue.from(cost_usd), ...others };
}

/** Expects the item of a placeholder, or what the item of its entry has kept of it. */
export function readPlaceholder(item: Item): ReplacedPlaceholder {
  const { [writtenAt]: writtenAtMs, cost_usd, pricing = null, input_tokens = null } = item;
  return {
    writtenAtMs: Number(writtenAtMs),
    cost_usd: String(cost_usd),
    pricing: pricing as ReplacedPlaceholder['pricing'],
    input_tokens: input_tokens as ReplacedPlaceholder['input_tokens'],
  };
}

export function storedFromStreamImage(image: object | undefined): StoredLogEntry {
  if (image === undefined) throw new Error('The stream record has no such image');
  return storedFromItem(fromAttributes(image));
}

/** DynamoDB deletes items some time after their expiry; until then, reads must skip them. */
export function isExpired(item: Item, now: Date): boolean {
  return Number(item[expiry]) * 1000 <= now.getTime();
}
