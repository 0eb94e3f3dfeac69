/** A log entry as JSON, in log lines and in the messages of a queue, and read back from there. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { type LogEntry, logEntryFields, outcomes } from './entry.ts';
import { isUuid, timestampOfLogId } from './id.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.isWellFormed();
/** What is a key, or a part of one. */
const isName: Check = (value) => isText(value) && value !== '';
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const isStatus: Check = (value) => isCount(value) && Number(value) >= 100 && Number(value) <= 599;
const isUsd: Check = (value) => typeof value === 'string' && /^\d{1,15}(\.\d{1,12})?$/.test(value);
const isLogId: Check = (value) => typeof value === 'string' && isUuid(value);
const oneOf = (values: readonly unknown[]): Check => values.includes.bind(values);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** What each field has to be. */
const checks: Readonly<Record<keyof LogEntry, Check>> = {
  id: isLogId,
  organization_id: isName,
  created_at: isText,
  model: maybe(isName),
  response_model: maybe(isText),
  provider: maybe(isName),
  status: isStatus,
  outcome: oneOf(outcomes),
  stream: isFlag,
  input_tokens: maybe(isCount),
  output_tokens: maybe(isCount),
  total_tokens: maybe(isCount),
  cached_input_tokens: maybe(isCount),
  cache_write_input_tokens: maybe(isCount),
  cache_write_1h_input_tokens: maybe(isCount),
  reasoning_tokens: maybe(isCount),
  audio_input_tokens: maybe(isCount),
  cached_audio_input_tokens: maybe(isCount),
  audio_output_tokens: maybe(isCount),
  image_output_tokens: maybe(isCount),
  web_searches: maybe(isCount),
  cost_usd: isUsd,
  pricing: maybe(oneOf(['table', 'provider', 'unknown'])),
  pricing_version: maybe(isText),
  usage_source: oneOf(['provider', 'estimated', 'missing']),
  retries: maybe(isCount),
  finish_reason: maybe(isText),
  latency_ms: isCount,
  time_to_first_token_ms: maybe(isCount),
  prompt_id: maybe(isName),
  session_id: maybe(isName),
  user_id: maybe(isName),
  api_key_id: isName,
  provider_request_id: maybe(isText),
  error_code: maybe(isText),
};

/** What is `null` is left out: an entry is short then, and its line easier to read. */
export function entryText(entry: LogEntry): JsonObject {
  const text: JsonObject = {};
  for (const field of logEntryFields) {
    if (entry[field] !== null) text[field] = entry[field];
  }
  return text;
}

const noValues = Object.fromEntries(logEntryFields.map((field) => [field, null]));

/** The entry that `entryText` was given. Throws an `Error` that names the field at fault and quotes no value. */
export function readEntryText(value: unknown): LogEntry {
  if (!isJsonObject(value)) throw new Error('A log entry must be an object');
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(checks, name)).length;
  if (unknown > 0) throw new Error(`A log entry has no such fields: ${unknown} are unknown`);
  const entry = { ...noValues, ...value };
  assertLogEntry(entry);
  if (entry.created_at !== new Date(timestampOfLogId(entry.id)).toISOString()) {
    throw new Error('The fields id and created_at of a log entry must be of the same time');
  }
  return entry;
}

function assertLogEntry(entry: Partial<Record<keyof LogEntry, unknown>>): asserts entry is LogEntry {
  const wrong = logEntryFields.find((field) => !checks[field](entry[field]));
  if (wrong !== undefined) throw new Error(`The field ${wrong} of a log entry is not what it must be`);
}

// A log entry as the API shows it.

export function logEntryJson({ organization_id, ...entry }: LogEntry) {
  return { ...entry, cost_usd: usdJson(entry.cost_usd) };
}
