/** Log entries as JSON: as the API shows them, and as the lines of a log and the messages of a queue carry them. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import {
  type LogEntry,
  type LogEntryField,
  logEntryFieldNames,
  logEntryFields,
  moneyFields,
} from './entry.ts';
import { timestampOfLogId } from './id.ts';

const shownFields = logEntryFieldNames.filter((field) => field !== 'organization_id');

/** An entry as the API shows it: the organization is the caller's own. */
export function logEntryJson(entry: LogEntry): JsonObject {
  const json: JsonObject = {};
  for (const field of shownFields) json[field] = entry[field];
  for (const field of moneyFields) {
    if (json[field] !== null) json[field] = usdJson(String(json[field]));
  }
  return json;
}

/** An entry for a log line or a message. Fields that are `null` are left out, which keeps it short and readable. */
export function entryText(entry: LogEntry): JsonObject {
  const text: JsonObject = {};
  for (const field of logEntryFieldNames) {
    if (entry[field] !== null) text[field] = entry[field];
  }
  return text;
}

/** The entry that `entryText` was given. Throws an `Error` that names the field at fault and quotes no value. */
export function readEntryText(value: unknown): LogEntry {
  if (!isJsonObject(value)) throw new Error('A log entry must be an object');
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(logEntryFields, name)).length;
  if (unknown > 0) throw new Error(`A log entry has no such fields: ${unknown} are unknown`);
  const entry = Object.fromEntries(logEntryFieldNames.map((field) => [field, value[field] ?? null]));
  assertLogEntry(entry);
  if (entry.created_at !== new Date(timestampOfLogId(entry.id)).toISOString()) {
    throw new Error('The fields id and created_at of a log entry must be of the same time');
  }
  return entry;
}

function assertLogEntry(entry: { [Field in LogEntryField]?: unknown }): asserts entry is LogEntry {
  const wrong = logEntryFieldNames.find((field) => !logEntryFields[field].accepts(entry[field]));
  if (wrong !== undefined) throw new Error(`The field ${wrong} of a log entry is not what it must be`);
}
