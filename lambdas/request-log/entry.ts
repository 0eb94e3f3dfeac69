/**
 * The log entry of a request.
 *
 * `logEntryFields` is the single definition of its fields. The type `LogEntry`, the field order in JSON and in exports,
 * the validation of entries read from JSON, the attributes of the stored item and the test of `docs/openapi.yaml`
 * derive from it. To add a field, add a line there and a property in `docs/openapi.yaml`.
 */
import { priceSources, pricingGaps } from '#lambdas/pricing/price-context.ts';
import { usageKinds, usageWarnings } from '#lambdas/pricing/usage.ts';
import { billedPartList, usageDetailTypes } from './fields/billed-part.ts';
import {
  boolean,
  count,
  type FieldType,
  httpStatus,
  listOf,
  nonEmptyText,
  nullable,
  oneOf,
  positiveCount,
  text,
  usd,
  uuid,
} from './fields/field-type.ts';
import { refusalType } from './fields/refusal.ts';
import { skippedTargetType } from './fields/skipped-target.ts';
import { operations } from './operation.ts';

/** `interrupted` is the outcome of a placeholder: the function stopped before it could write the entry itself. */
export const outcomes = [
  'completed',
  'client_closed',
  'provider_error',
  'timeout',
  'rejected',
  'interrupted',
] as const;

const usageSources = ['provider', 'incomplete', 'estimated', 'missing'] as const;

/** Field names and their order are those of the API. */
export const logEntryFields = {
  /** A UUIDv7 with the timestamp of `created_at`. */
  id: uuid,
  organization_id: nonEmptyText,
  /** When the gateway received the request: RFC 3339, milliseconds, UTC. */
  created_at: text,
  /** The requested model, without the provider prefix. */
  model: nullable(nonEmptyText),
  /** Reported by the provider, such as a dated snapshot of `model`. */
  response_model: nullable(text),
  provider: nullable(nonEmptyText),
  operation: oneOf(operations),
  status: httpStatus,
  outcome: oneOf(outcomes),
  stream: boolean,
  input_tokens: nullable(count),
  output_tokens: nullable(count),
  total_tokens: nullable(count),
  ...usageDetailTypes,
  /** The tier that served the request, as the provider names it. */
  service_tier: nullable(text),
  speed: nullable(text),
  inference_geo: nullable(text),
  /** Follows from the provider's address or the model's name. */
  region: nullable(text),
  cost_usd: usd,
  /**
   * The source of the price; `unknown` when there was usage but no price for a part of it, `assumed` also when `cost_usd` is
   * the reservation.
   */
  pricing: nullable(oneOf(priceSources)),
  /** The price table and its version, or `configuration`. */
  pricing_version: nullable(text),
  /** The charges that `cost_usd` does not include. */
  pricing_gaps: nullable(listOf(oneOf(pricingGaps))),
  /**
   * `incomplete` when a part of the provider's usage is missing; `estimated` from the texts of request and response when the
   * provider reported no usage, or may have charged for more; `missing` when it reported none for an error or a blocked
   * prompt, stated only the cost, or was not called.
   */
  usage_source: oneOf(usageSources),
  /** The kinds of usage that are missing, and that `cost_usd` does not include; `null` when there are none. */
  missing_usage: nullable(listOf(oneOf(usageKinds))),
  /** Signs that the reported usage cannot be right; `null` when there are none. */
  usage_warnings: nullable(listOf(oneOf(usageWarnings))),
  retries: nullable(count),
  /** The calls of the provider that the request was split into; `null` for one. */
  provider_calls: nullable(count),
  /** The name of the route that was requested; `null` for a model of a provider. */
  route: nullable(nonEmptyText),
  /** The place among the attempts of a request to a route, from 1; `null` without a route. */
  attempt: nullable(positiveCount),
  /**
   * Set for an attempt after which another target has served the request: the id of the request's entry. The attempt has its
   * own costs, but is no request.
   */
  superseded_by: nullable(uuid),
  /** The targets that were not tried, or left out after another had failed; `null` without any. */
  skipped_targets: nullable(listOf(skippedTargetType)),
  finish_reason: nullable(text),
  latency_ms: count,
  time_to_first_token_ms: nullable(count),
  /**
   * The gateway's own share of `latency_ms`: from receipt until the request is on its way to the provider, plus from the
   * provider's first byte until the gateway's; `null` if no provider was called.
   */
  overhead_ms: nullable(count),
  prompt_id: nullable(nonEmptyText),
  session_id: nullable(nonEmptyText),
  user_id: nullable(nonEmptyText),
  api_key_id: nonEmptyText,
  provider_request_id: nullable(text),
  /** The `id` in the response, as the caller sees it. */
  response_id: nullable(nonEmptyText),
  /** The code of the error in the response; `interrupted` for a placeholder. */
  error_code: nullable(text),
  /** In the words of the provider, if it has stated one. */
  error_type: nullable(text),
  error_param: nullable(text),
  /** Only the gateway's own messages: a provider's may quote the request. */
  error_message: nullable(text),
  /** Set if a hard budget or a rate limit has refused the request. */
  refusal: nullable(refusalType),
  /**
   * The number of requests that a rate limit has refused and the entry stands for, with the same key, since not each of them has
   * an entry; `null` for one.
   */
  refused_requests: nullable(positiveCount),
  /** The key whose budgets apply; `null` if it is `api_key_id`. */
  budget_key_id: nullable(nonEmptyText),
  /** The amount reserved from hard budgets; `null` if none applied, or one refused the request. */
  reserved_usd: nullable(usd),
  /**
   * The cost that the end of the request has made pending in `budget_counters`, until the entry is counted; `null` if nothing was
   * reserved, or the function was killed before.
   */
  pending_usd: nullable(usd),
  /** The counters that hold the reservation, or those that refused it. */
  budget_counters: nullable(listOf(nonEmptyText)),
  /** The parts that are billed at different prices; `null` when all usage is billed at the prices of one model. */
  billed_parts: nullable(billedPartList),
} satisfies Record<string, FieldType<unknown>>;

export type LogEntryField = keyof typeof logEntryFields;

type ValueOf<Type> = Type extends FieldType<infer Value> ? Value : never;

/** Fields that do not apply are `null`. */
export type LogEntry = { [Field in LogEntryField]: ValueOf<(typeof logEntryFields)[Field]> };

export const logEntryFieldNames = Object.keys(logEntryFields) as LogEntryField[];

/** Money is decimal text in `LogEntry`, and a number with all digits in JSON and in the table. */
export const moneyFields = logEntryFieldNames.filter((field) => logEntryFields[field].json === 'number');

export type Outcome = LogEntry['outcome'];

/** False for a request that was rejected before it reached a provider: it is logged, but has no part in the costs. */
export function reachedProvider({ outcome }: Pick<LogEntry, 'outcome'>): boolean {
  return outcome !== 'rejected';
}

/**
 * The requests that the entry stands for: one, unless a rate limit has refused several that have no entry of their own, or the
 * entry is that of an attempt.
 */
export function requestsOf({
  outcome,
  refused_requests,
  superseded_by,
}: Pick<LogEntry, 'outcome' | 'refused_requests' | 'superseded_by'>): number {
  if (superseded_by !== null) return 0;
  return outcome === 'rejected' ? (refused_requests ?? 1) : 1;
}

export interface StoredLogEntry {
  entry: LogEntry;
  /** The last write, in milliseconds since 1970; later than `created_at`, the start of the request. */
  writtenAtMs: number;
  placeholder?: ReplacedPlaceholder;
  /** Set if the last write has restored the entry. */
  isRestored?: true;
}

/** Tells what the rollups had counted of a placeholder, before its entry replaced it. */
export interface ReplacedPlaceholder extends Pick<LogEntry, 'cost_usd' | 'pricing' | 'input_tokens'> {
  writtenAtMs: number;
}

/** Separate from the reader, because the chat function may only write. */
export interface LogEntryWriter {
  /** Idempotent: an existing entry is not changed, unless it is the placeholder of this entry. */
  put(entry: LogEntry): Promise<void>;
}

/** The queue of entries that could not be written to the table. Another function retries them. */
export interface LostEntries {
  send(entry: LogEntry): Promise<void>;
}
