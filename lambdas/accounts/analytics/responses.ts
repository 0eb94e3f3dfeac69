/**
 * The bodies of the responses of the function `Analytics`, whose types the page shares. Times are ISO 8601, amounts of US
 * dollars are decimal text.
 */
import type { Period } from '#lambdas/platform/period.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { SkipReason } from '#lambdas/request-log/fields/skipped-target.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { RouteSummary } from '../organizations/responses.ts';

/** By route, below `/dashboard/api`. */
export interface AnalyticsResponses {
  'GET /analytics/{organization}/costs': CostReport;
  'GET /analytics/{organization}/logs': LogList;
  'GET /analytics/{organization}/logs/{id}': LogEntryDetails;
  'GET /analytics/{organization}/session': CallerSessionReport;
  'GET /analytics/{organization}/providers': ProviderList;
  'GET /analytics/{organization}/models': ModelList;
  'GET /analytics/{organization}/projection': Projection;
  /** Also as CSV. */
  'GET /analytics/{organization}/statements/{month}': Statement;
  'GET /analytics/{organization}/routes': RouteList;
  'GET /analytics/{organization}/routes/{name}/activity': RouteActivity;
  'POST /analytics/{organization}/routes/{name}/test': RouteTest;
}

/** Written out, since the page cannot compile the imports of `reports/costs/query.ts`, which has the same type. */
export type GroupBy =
  | 'model'
  | 'provider'
  | 'operation'
  | 'api_key'
  | 'prompt_id'
  | 'session_id'
  | 'user_id'
  | 'route'
  | 'error_code';

export type Interval = Period;

/** The fields of `GET /api/costs`, arranged alike for totals, groups and periods. */
export interface CostReport {
  window: CostWindow;
  time_zone: string;
  /** Every request whose entry was written before this time is included. */
  complete_until: string;
  /** Relative: 0.19 is 19 %. */
  max_percentile_error: number;
  totals: CostTotals;
  /** `null` without `compare=previous` or `compare_start` and `compare_end`. */
  previous: PreviousCosts | null;
  group_by: GroupBy | null;
  /**
   * In the order of `order_by` and `order`: by default, the most expensive first; error codes by their number of requests. Empty
   * without `group_by`.
   */
  groups: CostGroup[];
  /** The groups that are not listed, also those that do not match `search`; `null` without any. */
  other: OtherCosts | null;
  interval: Interval | null;
  /** Empty without `interval`. */
  series: CostPeriod[];
}

export interface CostWindow {
  /** `null` for an omitted bound. */
  start: string | null;
  end: string | null;
  rounded_to: 'minute' | 'hour' | null;
}

/** The costs of the range to compare with, which need not be the previous one. */
interface PreviousCosts {
  window: CostWindow;
  totals: CostTotals;
  /** Relative to the previous cost, rounded to four decimals: 0.25 is 25 % more. `null` if the previous cost is 0. */
  cost_change: number | null;
  /** The local days of the range, and those of them with requests; `null` for a range of more than 93 days. */
  days: { with_requests: number; total: number } | null;
  /** The groups that the report lists, in its order, then the others that would be listed for this range alone. */
  groups: CostGroup[];
  other: OtherCosts | null;
}

export interface CostGroup {
  /** `null` for requests without a value. For `api_key`, the id of the key. */
  value: string | null;
  totals: CostTotals;
}

export interface OtherCosts {
  groups: number;
  totals: CostTotals;
}

export interface CostPeriod {
  start: string;
  end: string;
  totals: CostTotals;
  /** The groups of the whole window that have requests in this period. */
  groups: CostGroup[];
  other: OtherCosts | null;
}

export interface CostTotals {
  requests: number;
  cost_usd: string;
  /** `null` without requests. */
  mean_cost_usd: string | null;
  input_tokens: number;
  output_tokens: number;
  /** Parts of `input_tokens`. */
  cached_input_tokens: number;
  cache_write_input_tokens: number;
  /** Part of `output_tokens`. */
  reasoning_tokens: number;
  /** Requests whose cost is not certain; none is in two of the counts. */
  unpriced_requests: number;
  assumed_requests: number;
  assumed_cost_usd: string;
  estimated_requests: number;
  estimated_cost_usd: string;
  /** The share of assumed and estimated costs: 0.25 is a quarter. `null` if the cost is 0. */
  uncertain_cost_share: number | null;
  /** The sum of the next three. */
  error_requests: number;
  provider_error_requests: number;
  timeout_requests: number;
  interrupted_requests: number;
  client_closed_requests: number;
  /**
   * In no other number. `null` in sums by something that is unknown of rejected requests: a model, provider, service tier, prompt,
   * session or user.
   */
  rejected_requests: number | null;
  /** Attempts after which another target has served the request. Their costs and tokens are included, but they are no requests. */
  fallback_attempts: number;
  mean_latency_ms: number | null;
  mean_overhead_ms: number | null;
  latency_ms: Percentiles | null;
  time_to_first_token_ms: Percentiles | null;
}

interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  /** Otherwise each is wrong by `max_percentile_error` at most. */
  exact: boolean;
}

/** Without its billed parts, and without the organization. */
export type ListedLogEntry = Omit<LogEntry, 'organization_id' | 'billed_parts'>;

export interface LogList {
  object: 'list';
  /** In the requested order, by default the newest first. Entries with the same value of `sort` are the newest first. */
  data: ListedLogEntry[];
  limit: number;
  /**
   * True when another page may follow. A page can be short or empty while this is true. With `written_after`: true if entries
   * are missing, so that the first page has to be loaded anew.
   */
  has_more: boolean;
  next_cursor: string | null;
  /** The time from which on everything has been searched; `null` on the last page, and with `sort=created_at&order=asc`. */
  searched_back_to: string | null;
  /** `null` if the list is sorted by time. */
  sorted: SortedLogList | null;
  /**
   * A later call with this as `written_after`, and otherwise the same parameters, returns the entries that have been written
   * since, and some that are known. Only in first pages by time, the newest first, and in responses to such calls.
   */
  tail: string | null;
}

/** How far a list is complete that is sorted by something else than time. It has one page. */
interface SortedLogList {
  /** Entries that were read, matching or not. */
  searched_entries: number;
  /**
   * The list has the first of the requests since this time, and the same query with this as `end` has those before; `null` if
   * it has the first of the whole window, be it fewer than `limit`.
   */
  searched_back_to: string | null;
  /** Whether more requests of that time match, or may match, than are listed. */
  more_matches: boolean;
}

export interface LogEntryDetails extends Omit<LogEntry, 'organization_id'> {
  /** Adds up to `cost_usd`; `null` if the current prices do not explain it, or the provider stated the cost. */
  cost_breakdown: BilledPart[] | null;
}

export interface BilledPart {
  model: string;
  charges: Charge[];
  cost_usd: string;
}

export interface Charge {
  /** Such as `uncached_text_input_tokens`. */
  type: string;
  count: number;
  /** For `per` of the counted units. */
  price_usd: string;
  per: number;
  cost_usd: string;
}

export interface CallerSessionReport {
  session_id: string;
  /** In order of receipt. At most 1,000: the newest ones. */
  data: CallerSessionRequest[];
  /** Whether the session has earlier requests, which are not listed. */
  has_earlier: boolean;
}

export interface CallerSessionRequest extends ListedLogEntry {
  /** The cost of the listed requests up to this one. */
  cumulative_cost_usd: string;
}

export interface ProviderList {
  object: 'list';
  /** Alphabetically. */
  data: ProviderSummary[];
}

export interface ProviderSummary {
  name: string;
  /** Whether requests to the provider can be sent: it has an address and, if it needs one, a credential. */
  set_up: boolean;
  /** Whether the operator has stored a credential, or none is needed. */
  has_credential: boolean;
}

export interface ModelList {
  object: 'list';
  /** Alphabetically. Those of providers that are set up are the models of `GET /ai/models`. */
  data: ModelSummary[];
}

export interface ModelSummary {
  /** The name to call it by: `<provider>/<model>`. */
  id: string;
  provider: string;
  /** The operations that the model can be used for, at least one. */
  operations: readonly OperationName[];
  set_up: boolean;
  /** One for each service tier or speed, the standard one first. Empty for a model without a known price. */
  prices: ModelPrice[];
  /** The versions over time that are stored, those that begin last first: empty for most models of the price table. */
  versions: PriceVersion[];
}

/** A price that has begun, will begin or has ended. */
export interface PriceVersion {
  source: 'organization' | 'all_organizations' | 'table';
  /** `null` for the standard tier. */
  tier: string | null;
  /** `null` for the first one of the price table. */
  from: string | null;
  /** For a million tokens; `null` when a price of the operator ends. */
  input_usd: string | null;
  /** `null` also if it follows from that of input. */
  cached_input_usd: string | null;
  output_usd: string | null;
  /** The name of the operator or user who has set it; `null` if it is not known, and for the price table. */
  set_by: string | null;
  set_at: string | null;
}

export interface ModelPrice {
  /** `null` for the standard tier. */
  tier: string | null;
  source: 'organization' | 'all_organizations' | 'configuration' | 'table';
  /** The version of the price table; `null` for prices of the operator. */
  version: string | null;
  /** When this price began; `null` if it has been valid since before the table or setting began. */
  since: string | null;
  /** Whether the provider's invoice may differ, since the prices of tokens are not certain. */
  assumed: boolean;
  rates: ModelRate[];
  /** The prices of requests with more input tokens than this, in ascending order. */
  above: { input_tokens: number; rates: ModelRate[] }[];
}

export interface ModelRate {
  /** As in `Charge`. */
  type: string;
  usd: string;
  per: number;
  /** Whether the invoice may differ in this charge, such as because of a free allowance that no response shows. */
  assumed: boolean;
}

/** The probable cost of the current UTC month. */
export interface Projection {
  /** Such as `2026-11`. */
  month: string;
  complete_until: string;
  spent_usd: string;
  /** As in `CostTotals`: that of `spent_usd`. */
  unpriced_requests: number;
  uncertain_cost_share: number | null;
  /** The part of the month that has elapsed, from 0 to 1. */
  elapsed_share: number;
  /** `spent_usd` divided by `elapsed_share`; `null` in the first tenth of the month. */
  projected_usd: string | null;
  /** The organization's monthly budget; `null` without one. */
  budget: { amount_usd: string; hard: boolean; projected_percent: number | null } | null;
}

/** The costs of a UTC month. The lines add up to the totals of every list. */
export interface Statement {
  /** Such as `2026-11`. */
  month: string;
  start: string;
  end: string;
  /** False until the month has ended and everything in it has been counted. */
  final: boolean;
  complete_until: string;
  organization: { id: string; name: string };
  totals: StatementTotals;
  by_model: StatementModel[];
  by_key: StatementKey[];
  lines: StatementLine[];
}

export type StatementTotals = Pick<
  CostTotals,
  | 'requests'
  | 'input_tokens'
  | 'output_tokens'
  | 'cost_usd'
  | 'unpriced_requests'
  | 'assumed_requests'
  | 'assumed_cost_usd'
  | 'estimated_requests'
  | 'estimated_cost_usd'
  | 'uncertain_cost_share'
>;

export interface StatementModel extends StatementTotals {
  provider: string;
  model: string;
}

export interface StatementKey extends StatementTotals {
  api_key_id: string;
  /** `null` for keys that no longer exist. */
  api_key_name: string | null;
}

/** One for each model, operation, service tier and key. */
export interface StatementLine extends StatementModel {
  operation: OperationName;
  /** `null` for the standard tier, by whatever name the provider stated it, or without one. */
  service_tier: string | null;
  api_key_id: string;
  api_key_name: string | null;
}

/** The routes of the organization, and those of the operator. */
export interface RouteList {
  object: 'list';
  /** By name; of two with the same name, that of the organization first. */
  data: RouteSummary[];
}

/** The requests of the last hour that named the route, from their log entries. */
export interface RouteActivity {
  since: string;
  until: string;
  /** False if there were more entries than are read. */
  complete: boolean;
  requests: number;
  /** Requests that have ended with an error, be it one of a provider or of the gateway. */
  failed_requests: number;
  /** The targets of the route in their order, then others that it had. */
  targets: TargetActivity[];
}

export interface TargetActivity {
  model: string;
  attempts: number;
  failures: number;
  /** Requests that could not be sent to the target. */
  skips: number;
  cost_usd: number;
}

/** Nothing is sent to a provider. */
export interface RouteTest {
  /** `null` if no target could serve the request. */
  target: string | null;
  /** In the order in which they would be tried. */
  targets: TestedTarget[];
}

export interface TestedTarget {
  model: string;
  /** `first` would serve it, `next` follows on failures, and `spare` would need more attempts than the route allows. */
  decision: 'first' | 'next' | 'spare' | 'skipped';
  reason: SkipReason | null;
  /** The field of the request that the target does not support. */
  param: string | null;
  /** The share of the requests, for the strategy `weight`: 0.25 is a quarter. */
  share: number | null;
  /** Estimated; `null` without a price. */
  cost_usd: number | null;
}
