/**
 * What is recorded of one request.
 *
 * `logEntryFields` is the one definition of its fields: the type `LogEntry`, the order in JSON and in exports, the checks
 * of what is read back from text, the attributes of the stored item and the test of `docs/openapi.yaml` follow it. So a
 * line there and a property in `docs/openapi.yaml` add a field.
 */
import type { PriceSource } from '#lambdas/pricing/price.ts';
import {
  count,
  type FieldType,
  flag,
  httpStatus,
  keyText,
  nullable,
  oneOf,
  text,
  usd,
  uuid,
} from './field-type.ts';

/** How a request ended. `interrupted` is a placeholder's: the function ended before it could write the entry itself. */
export const outcomes = [
  'completed',
  'client_closed',
  'provider_error',
  'timeout',
  'rejected',
  'interrupted',
] as const;

const priceSources = ['table', 'provider', 'unknown'] as const satisfies readonly PriceSource[];
const usageSources = ['provider', 'estimated', 'missing'] as const;

/** By the names that the API shows, in the order in which it shows them. */
export const logEntryFields = {
  /** A UUIDv7 with the time of `created_at`. */
  id: uuid,
  organization_id: keyText,
  /** When the request came in: RFC 3339, milliseconds, UTC. */
  created_at: text,
  /** The model that was asked for, without the provider prefix. */
  model: nullable(keyText),
  /** The model that the provider says it served, such as a dated snapshot. */
  response_model: nullable(text),
  provider: nullable(keyText),
  /** The HTTP status that the caller was sent. */
  status: httpStatus,
  outcome: oneOf(outcomes),
  stream: flag,
  input_tokens: nullable(count),
  output_tokens: nullable(count),
  total_tokens: nullable(count),
  /** Part of `input_tokens`. */
  cached_input_tokens: nullable(count),
  /** Part of `input_tokens`. */
  cache_write_input_tokens: nullable(count),
  /** The part of `cache_write_input_tokens` that was written for an hour; `null` when there was none. */
  cache_write_1h_input_tokens: nullable(count),
  /** Part of `output_tokens`. */
  reasoning_tokens: nullable(count),
  /** Part of `input_tokens`; `null` when there was none. */
  audio_input_tokens: nullable(count),
  /** Part of both `audio_input_tokens` and `cached_input_tokens`; `null` when there was none. */
  cached_audio_input_tokens: nullable(count),
  /** Part of `output_tokens`; `null` when there was none. */
  audio_output_tokens: nullable(count),
  /** Part of `output_tokens`; `null` when there was none. */
  image_output_tokens: nullable(count),
  /** Searches of the web that the provider made and charges one by one; `null` when there was none. */
  web_searches: nullable(count),
  cost_usd: usd,
  /** Where the price is from; `unknown` when there was usage but no price for the model. */
  pricing: nullable(oneOf(priceSources)),
  /** The price table and its version, or `configuration`. */
  pricing_version: nullable(text),
  /** `estimated` from the text that was read of a stream, when the provider's own count never came. */
  usage_source: oneOf(usageSources),
  /** How often the gateway sent the request again; `null` when it did not. */
  retries: nullable(count),
  finish_reason: nullable(text),
  latency_ms: count,
  time_to_first_token_ms: nullable(count),
  prompt_id: nullable(keyText),
  session_id: nullable(keyText),
  user_id: nullable(keyText),
  api_key_id: keyText,
  provider_request_id: nullable(text),
  error_code: nullable(text),
} satisfies Record<string, FieldType<unknown>>;

export type LogEntryField = keyof typeof logEntryFields;

type ValueOf<Type> = Type extends FieldType<infer Value> ? Value : never;

/** A log entry, with the names that the API shows. What does not apply is `null`. */
export type LogEntry = { [Field in LogEntryField]: ValueOf<(typeof logEntryFields)[Field]> };

/** Every field, in the order in which the API shows them. */
export const logEntryFieldNames = Object.keys(logEntryFields) as LogEntryField[];

/** Fields that hold money: text here, and a number in JSON and in the table, where no digit may be lost. */
export const moneyFields = logEntryFieldNames.filter((field) => logEntryFields[field].json === 'number');

export type Outcome = LogEntry['outcome'];

/** Whether a provider was called: what is refused before that is logged, but no part of the costs. */
export function reachedProvider({ outcome }: Pick<LogEntry, 'outcome'>): boolean {
  return outcome !== 'rejected';
}

/** An entry as its table has it. */
export interface StoredLogEntry {
  entry: LogEntry;
  /** When it was last written, in milliseconds since 1970: later than `created_at`, since requests take their time. */
  writtenAtMs: number;
  /** When the placeholder was written whose place the entry has taken; left out of most. */
  placeholderWrittenAtMs?: number;
}

/** Apart from the reads, because the chat function can only write. */
export interface LogEntryWriter {
  /** Idempotent: an entry that is there already stays as it is, unless it is the placeholder of this one. */
  put(entry: LogEntry): Promise<void>;
}

/** Where entries wait that could not be written, until somebody else writes them. */
export interface LostEntries {
  send(entry: LogEntry): Promise<void>;
}
