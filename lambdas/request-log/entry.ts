/** What is recorded of one request, and the store that keeps it. */

import type { Usd } from '#lambdas/platform/money.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { PriceSource } from '#lambdas/pricing/price.ts';

/** How a request ended; `interrupted` is what the log says of one whose function ended before it could write more. */
export const outcomes = [
  'completed',
  'client_closed',
  'provider_error',
  'timeout',
  'rejected',
  'interrupted',
] as const;

export type Outcome = (typeof outcomes)[number];

/** A log entry, with the names that the API shows and the table stores. What does not apply is `null`. */
export interface LogEntry {
  /** UUIDv7. */
  id: string;
  organization_id: string;
  /** When the request came in: RFC 3339, milliseconds, UTC. */
  created_at: string;
  /** The model that was asked for, without the provider prefix. */
  model: string | null;
  /** The model that the provider says it served, such as a dated snapshot. */
  response_model: string | null;
  provider: string | null;
  /** The HTTP status that the caller was sent. */
  status: number;
  outcome: Outcome;
  stream: boolean;
  input_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  /** Part of `input_tokens`. */
  cached_input_tokens: number | null;
  /** Part of `input_tokens`. */
  cache_write_input_tokens: number | null;
  /** The part of `cache_write_input_tokens` that was written for an hour; `null` when there was none. */
  cache_write_1h_input_tokens: number | null;
  /** Part of `output_tokens`. */
  reasoning_tokens: number | null;
  /** Part of `input_tokens`; `null` when there was none. */
  audio_input_tokens: number | null;
  /** Part of both `audio_input_tokens` and `cached_input_tokens`; `null` when there was none. */
  cached_audio_input_tokens: number | null;
  /** Part of `output_tokens`; `null` when there was none. */
  audio_output_tokens: number | null;
  /** Part of `output_tokens`; `null` when there was none. */
  image_output_tokens: number | null;
  /** Searches of the web that the provider made and charges by the piece; `null` when there was none. */
  web_searches: number | null;
  cost_usd: Usd;
  /** Where the price is from; `unknown` when there was usage but no price for the model. */
  pricing: PriceSource | null;
  /** The price table and its version, or `configuration`. */
  pricing_version: string | null;
  /** `estimated` from the text that was read of a stream, when the provider's own count never came. */
  usage_source: 'provider' | 'estimated' | 'missing';
  /** How often the gateway sent the request again; `null` when it did not. */
  retries: number | null;
  finish_reason: string | null;
  latency_ms: number;
  time_to_first_token_ms: number | null;
  prompt_id: string | null;
  session_id: string | null;
  user_id: string | null;
  api_key_id: string;
  provider_request_id: string | null;
  error_code: string | null;
}

const fields = {
  id: true,
  organization_id: true,
  created_at: true,
  model: true,
  response_model: true,
  provider: true,
  status: true,
  outcome: true,
  stream: true,
  input_tokens: true,
  output_tokens: true,
  total_tokens: true,
  cached_input_tokens: true,
  cache_write_input_tokens: true,
  cache_write_1h_input_tokens: true,
  reasoning_tokens: true,
  audio_input_tokens: true,
  cached_audio_input_tokens: true,
  audio_output_tokens: true,
  image_output_tokens: true,
  web_searches: true,
  cost_usd: true,
  pricing: true,
  pricing_version: true,
  usage_source: true,
  retries: true,
  finish_reason: true,
  latency_ms: true,
  time_to_first_token_ms: true,
  prompt_id: true,
  session_id: true,
  user_id: true,
  api_key_id: true,
  provider_request_id: true,
  error_code: true,
} as const satisfies Record<keyof LogEntry, true>;

/** Every field, in the order in which the API shows them. */
export const logEntryFields = Object.keys(fields) as (keyof LogEntry)[];

/** Whether a provider was called: what is refused before that is logged, but no part of the costs. */
export function reachedProvider(entry: Pick<LogEntry, 'outcome'>): boolean {
  return entry.outcome !== 'rejected';
}

/** An entry as its table has it. */
export interface StoredLogEntry {
  entry: LogEntry;
  /** When it was last written, in milliseconds since 1970: later than `created_at`, as requests take their time. */
  writtenAtMs: number;
  /** When that was written in whose place the entry was put, as that of an interrupted request; mostly left out. */
  placeholderWrittenAtMs?: number;
}

/** What an entry has to have, each where it is given. */
export interface LogEntryFilter {
  model?: string;
  provider?: string;
  prompt_id?: string;
  session_id?: string;
  user_id?: string;
  status?: number;
}

/** One ordered run of entries: those of one shard of an organization. */
export interface LogEntryRange {
  organizationId: string;
  shard: number;
  filter: LogEntryFilter;
  window: TimeWindow;
  /** Only entries older than this id. */
  before?: string;
  /** How many entries a read should evaluate at a time. */
  pageSize: number;
}

/** A step down a run: an entry, or the word that the run was read down to `id`, and how many items that took. */
export type LogStep = { id: string; entry: LogEntry } | { id: string; entry: null; evaluated: number };

/** What the reads need of it; `LogEntryWriter` is apart because the chat function can only write. */
export interface LogEntryReader {
  /** One strongly consistent read. */
  find(organizationId: string, id: string): Promise<LogEntry | null>;
  /** Newest first. Each read ends with a step without an entry, unless it was the run's last. */
  newestFirst(range: LogEntryRange): AsyncIterable<LogStep>;
}

export interface LogEntryWriter {
  /** Idempotent: an entry that is there already stays as it is. One that only stood in for it, as `interrupted`, gives way. */
  put(entry: LogEntry): Promise<void>;
}

/** Where entries wait that could not be written: they are written later, by someone else. */
export interface LostEntries {
  send(entry: LogEntry): Promise<void>;
}
