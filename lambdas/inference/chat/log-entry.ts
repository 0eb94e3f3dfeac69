/** The log entry of an exchange, and the one that stands for it while its provider works. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { toSingleLine } from '#lambdas/request-log/metadata.ts';
import type { Exchange } from './exchange.ts';

export type LoggedExchange = Readonly<Omit<Exchange, 'request' | 'deadlineMs' | 'signal' | 'response'>>;

export interface ExchangeResult {
  endedAtMs: number;
  /** The status that the caller was sent. */
  status: number;
  clientDisconnected: boolean;
  /** `null` when there is no usage to price. */
  price: Price | null;
}

const notPriced = { cost_usd: '0', pricing: null, pricing_version: null } as const;

export function toLogEntry(exchange: LoggedExchange, end: ExchangeResult): LogEntry {
  const { facts, error, firstTokenAtMs, receivedAtMs } = exchange;
  // A clock can be set back.
  const sinceReceived = (atMs: number) => Math.max(0, atMs - receivedAtMs);
  return {
    id: exchange.id,
    organization_id: exchange.apiKey.organization_id,
    created_at: new Date(receivedAtMs).toISOString(),
    model: exchange.model,
    response_model: brief(facts.responseModel),
    provider: exchange.provider?.name ?? null,
    status: end.status,
    outcome: outcomeOf(exchange, end.clientDisconnected),
    stream: exchange.chat?.stream ?? false,
    ...usageFields(facts.usage),
    ...(end.price ?? notPriced),
    usage_source: usageSourceOf(exchange),
    retries: exchange.retries || null,
    finish_reason: brief(facts.finishReason),
    latency_ms: sinceReceived(end.endedAtMs),
    time_to_first_token_ms: firstTokenAtMs === null ? null : sinceReceived(firstTokenAtMs),
    ...exchange.metadata,
    api_key_id: exchange.apiKey.id,
    provider_request_id: brief(exchange.providerRequestId),
    error_code: brief(codeOf(error)),
  };
}

/** The entry of a request whose function is killed while the provider works. */
export function toInterruptedEntry(exchange: LoggedExchange, atMs: number): LogEntry {
  const end: ExchangeResult = { endedAtMs: atMs, status: 502, clientDisconnected: false, price: null };
  return { ...toLogEntry(exchange, end), outcome: 'interrupted' };
}

function outcomeOf({ forwarded, error }: LoggedExchange, clientDisconnected: boolean): Outcome {
  if (!forwarded) return 'rejected';
  if (clientDisconnected) return 'client_closed';
  if (error === null) return 'completed';
  return error.code === 'provider_timeout' ? 'timeout' : 'provider_error';
}

function usageSourceOf({ facts, isEstimated }: LoggedExchange): LogEntry['usage_source'] {
  if (facts.usage === null) return 'missing';
  return isEstimated ? 'estimated' : 'provider';
}

function codeOf(error: GatewayError | null): string | null {
  return error === null ? null : error.toBody().error.code;
}

/** A provider's text, short enough for an item of 1 kB, and fit for one line of a log. */
function brief(text: string | null): string | null {
  return text === null ? null : toSingleLine(text.slice(0, 128));
}
