import type { Price } from '#lambdas/pricing/price.ts';
import { type PriceContext, unknownPrice } from '#lambdas/pricing/price-context.ts';
import type { BilledParts } from '#lambdas/pricing/usage.ts';
import { chargedPrice } from '#lambdas/request-log/charged-price.ts';
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { toPrintable } from '#lambdas/request-log/printable-text.ts';
import { type ResponseFacts, StatedError } from '../completion/facts.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { Exchange } from './exchange.ts';

/** An exchange, as far as it is logged. */
export interface LoggedExchange extends Readonly<Omit<Exchange, NotLogged>> {
  readonly operation: Pick<Operation, 'name'>;
  readonly parsed: Pick<OperationRequest, 'stream'> | null;
}

type NotLogged =
  | ('request' | 'deadlineMs' | 'signal' | 'response' | 'operation' | 'parsed')
  | ('failedCall' | 'originalError' | 'providerHeaders' | 'rateLimitHeaders');

interface ExchangeResult {
  endedAtMs: number;
  status: number;
  clientDisconnected: boolean;
  bill: Bill;
}

/** The billed usage of a request with its price; both are `null` when nothing is charged. */
export interface Bill {
  context: PriceContext;
  /** `null` also when the response states a cost, but no usage. */
  parts: BilledParts | null;
  price: Price | null;
  /** True when the price could not be read, and is unknown or assumed. */
  isPriceUnread: boolean;
}

export const noBill: Bill = {
  context: { serviceTier: null, speed: null, inferenceGeo: null, region: null },
  parts: null,
  price: null,
  isPriceUnread: false,
};

const notPriced = { cost_usd: '0', pricing: null, pricing_version: null, pricing_gaps: null } as const;

const notRouted = { route: null, attempt: null, superseded_by: null, skipped_targets: null };

export function toLogEntry(exchange: LoggedExchange, result: ExchangeResult): LogEntry {
  const { facts, firstTokenAtMs, receivedAtMs } = exchange;
  const { context, parts, price } = result.bill;
  const outcome = outcomeOf(exchange, result.clientDisconnected);
  const usage_source = usageSourceOf(exchange, result.bill);
  const usage_warnings = parts === null || facts.usageWarnings.length === 0 ? null : facts.usageWarnings;
  const budget = budgetFields(exchange);
  const charged =
    price === null ? notPriced : chargedPrice(price, { outcome, usage_source, usage_warnings, ...budget });
  const response_model = toShortLine(facts.responseModel);
  const sinceReceived = (atMs: number) => elapsedMs(receivedAtMs, atMs);
  return {
    id: exchange.id,
    organization_id: exchange.apiKey.organization_id,
    created_at: new Date(receivedAtMs).toISOString(),
    model: exchange.model,
    response_model,
    provider: exchange.provider?.name ?? null,
    operation: exchange.operation.name,
    status: result.status,
    outcome,
    stream: exchange.parsed?.stream ?? false,
    ...usageFields(parts ?? [], response_model ?? exchange.model),
    service_tier: context.serviceTier,
    speed: context.speed,
    inference_geo: context.inferenceGeo,
    region: context.region,
    ...charged,
    usage_source,
    usage_warnings,
    retries: exchange.retries || null,
    provider_calls: exchange.calls > 1 ? exchange.calls : null,
    ...(exchange.routed ?? notRouted),
    finish_reason: toShortLine(facts.finishReason),
    latency_ms: sinceReceived(result.endedAtMs),
    time_to_first_token_ms: firstTokenAtMs === null ? null : sinceReceived(firstTokenAtMs),
    overhead_ms: overheadMs(exchange),
    ...exchange.metadata,
    api_key_id: exchange.apiKey.id,
    provider_request_id: toShortLine(exchange.providerRequestId),
    // The caller of a failed request has got an error instead of the response.
    response_id: result.status === 200 ? toShortLine(facts.responseId) : null,
    ...errorFields(exchange),
    ...budget,
    // The lease of the request ends with it.
    pending_usd: exchange.lease === null || budget.reserved_usd === null ? null : charged.cost_usd,
  };
}

function budgetFields({
  apiKey,
  reservation,
  refusal,
}: LoggedExchange): Pick<
  LogEntry,
  'refusal' | 'refused_requests' | 'budget_key_id' | 'reserved_usd' | 'budget_counters'
> {
  const { usd = null, counters = [] } = reservation ?? {};
  return {
    refusal,
    refused_requests: null,
    budget_key_id: apiKey.budget_key_id ?? null,
    reserved_usd: usd,
    budget_counters: counters.length === 0 ? null : counters,
  };
}

/**
 * The entry of a request that is about to be sent, for the case that the function is killed before the response ends. Its
 * price is found when it is recovered.
 */
export function toInterruptedEntry(exchange: LoggedExchange, atMs: number): LogEntry {
  const { usage } = exchange.facts;
  const bill: Bill = { ...noBill, parts: usage && [{ model: null, usage }], price: unknownPrice };
  const entry = toLogEntry(exchange, { endedAtMs: atMs, status: 502, clientDisconnected: false, bill });
  return {
    ...entry,
    outcome: 'interrupted',
    pending_usd: null,
    // Until the request is sent, the whole latency is the gateway's.
    overhead_ms: entry.latency_ms,
    error_code: 'interrupted',
  };
}

/** The gateway's own share of the latency: before the request is sent, and after the provider has responded. */
function overheadMs({
  receivedAtMs,
  waitedMs,
  forwardedAtMs,
  providerRespondedAtMs,
  responseStartedAtMs,
}: LoggedExchange): number | null {
  if (forwardedAtMs === null) return null;
  const beforeMs = elapsedMs(receivedAtMs + waitedMs, forwardedAtMs);
  if (providerRespondedAtMs === null || responseStartedAtMs === null) return beforeMs;
  return beforeMs + elapsedMs(providerRespondedAtMs, responseStartedAtMs);
}

/** Not negative: the clock may have been set back. */
function elapsedMs(startMs: number, endMs: number): number {
  return Math.max(0, endMs - startMs);
}

function outcomeOf({ forwardedAtMs, error }: LoggedExchange, clientDisconnected: boolean): Outcome {
  if (forwardedAtMs === null) return 'rejected';
  if (clientDisconnected) return 'client_closed';
  if (error === null) return 'completed';
  return error.code === 'provider_timeout' ? 'timeout' : 'provider_error';
}

function usageSourceOf({ isUsageEstimated }: LoggedExchange, { parts }: Bill): LogEntry['usage_source'] {
  if (parts === null) return 'missing';
  if (parts.some(({ usage }) => usage.missing !== undefined)) return 'incomplete';
  return isUsageEstimated ? 'estimated' : 'provider';
}

type ErrorFields = Pick<LogEntry, 'error_code' | 'error_type' | 'error_param' | 'error_message'>;

const noError: ErrorFields = { error_code: null, error_type: null, error_param: null, error_message: null };

function errorFields({ error, forwardedAtMs }: LoggedExchange): ErrorFields {
  if (error === null) return noError;
  const { code, type, param } = error.toBody().error;
  const isMessageLogged =
    error.isMessageLogged ?? (forwardedAtMs === null && !(error instanceof StatedError));
  return {
    error_code: toName(code) ?? error.code,
    error_type: toName(error.providerType) ?? type,
    error_param: toName(param),
    error_message: isMessageLogged ? toShortLine(error.message, maxMessageLength) : null,
  };
}

/** Such as `messages[0].content`. A provider can put any text into a field that is meant for a name. */
const namePattern = /^[\w.:/#$*[\]-]{1,128}$/;

function toName(text: string | null): string | null {
  return text !== null && namePattern.test(text) ? text : null;
}

/** With this and three UUIDs as metadata, the item of a rejected request takes one write unit. */
const maxMessageLength = 280;

/** Names of tiers and places are shorter, since the tier is also part of the keys of rollups. */
const maxNameLength = 32;

function toShortLine(text: string | null, maxLength = 128): string | null {
  return text === null ? null : toPrintable(text.slice(0, maxLength));
}

/**
 * Shortens the texts of a provider to keep the item of a log entry below 1 kB, and replaces their line breaks. Prices are looked up by the shortened texts, so that a reprice of the log entry finds the same ones. */
export function shortenFacts(facts: ResponseFacts): ResponseFacts {
  return {
    ...facts,
    responseModel: toShortLine(facts.responseModel),
    serviceTier: toShortLine(facts.serviceTier, maxNameLength),
    speed: toShortLine(facts.speed, maxNameLength),
    inferenceGeo: toShortLine(facts.inferenceGeo, maxNameLength),
    billedParts: facts.billedParts && shortenParts(facts.billedParts),
  };
}

function shortenParts([first, ...others]: BilledParts): BilledParts {
  const shorten = (part: BilledParts[number]) => ({ ...part, model: toShortLine(part.model) });
  return [shorten(first), ...others.map(shorten)];
}
