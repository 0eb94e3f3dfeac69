import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { toSingleLine } from '#lambdas/request-log/metadata.ts';
import type { Exchange } from './exchange.ts';

export type LoggedExchange = Readonly<Omit<Exchange, 'request' | 'deadlineMs' | 'signal' | 'response'>>;

export interface ExchangeResult {
  endedAtMs: number;
  status: number;
  clientDisconnected: boolean;
  price: Price | null;
}

const notPriced = { cost_usd: '0', pricing: null, pricing_version: null } as const;

export function toLogEntry(exchange: LoggedExchange, result: ExchangeResult): LogEntry {
  const { facts, error, firstTokenAtMs, receivedAtMs } = exchange;
  // The clock may have been set back.
  const sinceReceived = (atMs: number) => Math.max(0, atMs - receivedAtMs);
  return {
    id: exchange.id,
    organization_id: exchange.apiKey.organization_id,
    created_at: new Date(receivedAtMs).toISOString(),
    model: exchange.model,
    response_model: toShortLine(facts.responseModel),
    provider: exchange.provider?.name ?? null,
    status: result.status,
    outcome: outcomeOf(exchange, result.clientDisconnected),
    stream: exchange.chat?.stream ?? false,
    ...usageFields(facts.usage),
    ...(result.price ?? notPriced),
    usage_source: usageSourceOf(exchange),
    retries: exchange.retries || null,
    finish_reason: toShortLine(facts.finishReason),
    latency_ms: sinceReceived(result.endedAtMs),
    time_to_first_token_ms: firstTokenAtMs === null ? null : sinceReceived(firstTokenAtMs),
    ...exchange.metadata,
    api_key_id: exchange.apiKey.id,
    provider_request_id: toShortLine(exchange.providerRequestId),
    error_code: toShortLine(codeOf(error)),
  };
}

/** The entry of a request whose function is killed before the response ends. */
export function toInterruptedEntry(exchange: LoggedExchange, atMs: number): LogEntry {
  const result: ExchangeResult = { endedAtMs: atMs, status: 502, clientDisconnected: false, price: null };
  return { ...toLogEntry(exchange, result), outcome: 'interrupted' };
}

function outcomeOf({ forwarded, error }: LoggedExchange, clientDisconnected: boolean): Outcome {
  if (!forwarded) return 'rejected';
  if (clientDisconnected) return 'client_closed';
  if (error === null) return 'completed';
  return error.code === 'provider_timeout' ? 'timeout' : 'provider_error';
}

function usageSourceOf({ facts, isUsageEstimated }: LoggedExchange): LogEntry['usage_source'] {
  if (facts.usage === null) return 'missing';
  return isUsageEstimated ? 'estimated' : 'provider';
}

function codeOf(error: GatewayError | null): string | null {
  return error === null ? null : error.toBody().error.code;
}

/** Truncates a provider's text to keep the item below 1 kB, and replaces its line breaks. */
function toShortLine(text: string | null): string | null {
  return text === null ? null : toSingleLine(text.slice(0, 128));
}
