/** A request of an operation together with everything that is known about it until its log entry is written. */
import { randomInt } from 'node:crypto';
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { Reservation } from '#lambdas/limits/admission.ts';
import type { Refusal } from '#lambdas/limits/refusal.ts';
import type { RenewedLease } from '#lambdas/limits/request-lease.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type Metadata, noMetadata } from '#lambdas/request-log/metadata.ts';
import { noFacts, type OriginalError, type ResponseFacts } from '../completion/facts.ts';
import type { Operation, OperationRequest } from '../operation.ts';
import type { Provider, ProviderResponse } from '../providers/provider.ts';

export interface IncomingRequest {
  readonly request: HttpRequest;
  readonly response: ResponseSink;
  /** The time by which the response must have ended, in epoch milliseconds. The log entry is written after it. */
  readonly deadlineMs: number;
  /** Aborted when the process shuts down, which ends the draining of responses whose callers have disconnected. */
  readonly signal: AbortSignal;
}

/** A call of a provider that ended with an error. Its texts are not redacted: only its kind is logged. */
export interface FailedCall {
  response: ProviderResponse;
  error: GatewayError;
}

/** An attempt of a request to a route, as it is logged. `attempt` is `null` until one is sent. */
type RoutedAttempt = Pick<LogEntry, 'route' | 'attempt' | 'superseded_by' | 'skipped_targets'>;

/** Mutated by `serve.ts`, `attempt.ts` and `serve-route.ts` only: the other modules read it and return their results. */
export interface Exchange extends IncomingRequest {
  readonly id: string;
  readonly operation: Operation;
  readonly apiKey: RequestKey;
  readonly receivedAtMs: number;
  metadata: Metadata;
  /** `null` until the body has been read and parsed. */
  parsed: OperationRequest | null;
  provider: Provider | null;
  /** The requested model; without the provider's prefix once the provider is known. */
  model: string | null;
  ignoredParameters: readonly string[];
  /** `null` for a model of a provider. */
  routed: RoutedAttempt | null;
  /** The time that earlier attempts have waited for their providers, in milliseconds. */
  waitedMs: number;
  /** From the hard budgets that apply to the key; `null` if none does. */
  reservation: Reservation | null;
  /** Holds the reservation and the place of the request until it has ended; `null` for nothing. */
  lease: RenewedLease | null;
  /** The limit that has refused the request. */
  refusal: Refusal | null;
  /** Headers about the rate limits that apply to the key. */
  rateLimitHeaders: Readonly<Record<string, string>>;
  /** When the request was sent to the provider for the first time. */
  forwardedAtMs: number | null;
  retries: number;
  /** The calls of the provider, without retries: more than one for a request that is split. */
  calls: number;
  providerRequestId: string | null;
  /** When the provider's bytes arrived with which the response to the caller begins; `null` if it did not respond. */
  providerRespondedAtMs: number | null;
  /** When status and headers were sent to the caller. */
  responseStartedAtMs: number | null;
  firstTokenAtMs: number | null;
  facts: ResponseFacts;
  /** True when `facts.usage` is an estimate. */
  isUsageEstimated: boolean;
  error: GatewayError | null;
  failedCall: FailedCall | null;
  /** See `Failure`. */
  originalError: OriginalError | null;
  /** Headers of the provider's response that are passed on to the caller. */
  providerHeaders: Readonly<Record<string, string>>;
}

const noHeaders = {};

export function startExchange(
  incoming: IncomingRequest,
  { operation, apiKey, receivedAtMs }: Pick<Exchange, 'operation' | 'apiKey' | 'receivedAtMs'>,
): Exchange {
  return {
    ...incoming,
    id: createLogId(receivedAtMs, randomInt(apiKey.log_shards)),
    operation,
    apiKey,
    receivedAtMs,
    metadata: noMetadata,
    parsed: null,
    provider: null,
    model: null,
    ignoredParameters: [],
    routed: null,
    waitedMs: 0,
    reservation: null,
    lease: null,
    refusal: null,
    rateLimitHeaders: noHeaders,
    forwardedAtMs: null,
    retries: 0,
    calls: 1,
    providerRequestId: null,
    providerRespondedAtMs: null,
    responseStartedAtMs: null,
    firstTokenAtMs: null,
    facts: noFacts,
    isUsageEstimated: false,
    error: null,
    failedCall: null,
    originalError: null,
    providerHeaders: noHeaders,
  };
}
