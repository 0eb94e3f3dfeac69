import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import {
  type LogEntry,
  type LogEntryField,
  logEntryFieldNames,
  logEntryFields,
  moneyFields,
} from './entry.ts';
import type { FieldType } from './fields/field-type.ts';
import { refusalJson } from './fields/refusal.ts';
import { timestampOfLogId } from './id.ts';

/** Returns the entry as in `GET /api/logs/{id}`: without the organization, which is the caller's. */
export function logEntryJson(entry: LogEntry): JsonObject {
  const json: JsonObject = {};
  for (const field of logEntryFieldNames) {
    if (field !== 'organization_id') json[field] = entry[field];
  }
  for (const field of moneyFields) {
    if (json[field] !== null) json[field] = usdJson(String(json[field]));
  }
  if (entry.refusal !== null) json.refusal = refusalJson(entry.refusal);
  return json;
}

/** Returns the entry as in the list of `GET /api/logs`: also without its billed parts, to keep pages small. */
export function listedEntryJson(entry: LogEntry): JsonObject {
  const { billed_parts: _, ...json } = logEntryJson(entry);
  return json;
}

/** Returns JSON for a log line or a queue message; omits `null` fields to keep it short. */
export function serializeLogEntry(entry: LogEntry): JsonObject {
  // JSON omits fields that are undefined. A copy of all fields takes less memory than adding some of them one by one.
  const json: JsonObject = { ...entry };
  for (const field of logEntryFieldNames) {
    if (entry[field] === null) json[field] = undefined;
  }
  return json;
}

/** Throws an `Error` that names the invalid field and quotes no value. */
export function parseLogEntry(value: unknown): LogEntry {
  if (!isJsonObject(value)) throw new Error('A log entry must be an object');
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(logEntryFields, name)).length;
  if (unknown > 0) throw new Error(`The log entry has unknown fields: ${unknown}`);
  const entry = Object.fromEntries(logEntryFieldNames.map((field) => [field, value[field] ?? null]));
  assertLogEntry(entry);
  if (entry.created_at !== new Date(timestampOfLogId(entry.id)).toISOString()) {
    throw new Error('The fields id and created_at of the log entry have different timestamps');
  }
  return entry;
}

function assertLogEntry(entry: { [Field in LogEntryField]?: unknown }): asserts entry is LogEntry {
  const invalid = logEntryFieldNames.find((field) => !logEntryFields[field].accepts(entry[field]));
  if (invalid === undefined) return;
  const place = invalid + invalidIndex(logEntryFields[invalid], entry[invalid]);
  throw new Error(`The field ${place} of the log entry is missing or invalid`);
}

/** Returns the position of the invalid element of a list, such as `[2]`; empty when the value itself is invalid. */
function invalidIndex({ element }: FieldType<unknown>, value: unknown): string {
  if (element === undefined || !Array.isArray(value)) return '';
  const index = value.findIndex((member) => !element.accepts(member));
  return index === -1 ? '' : `[${index}]`;
}
