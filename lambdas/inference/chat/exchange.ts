/** A chat request together with everything that is known about it until its log entry is written. */
import { randomInt } from 'node:crypto';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type Metadata, noMetadata } from '#lambdas/request-log/metadata.ts';
import type { ChatRequest } from '../chat-request.ts';
import { noFacts, type Provider, type ResponseFacts } from '../providers/provider.ts';

/** A request with its response and its deadline, as an entry point passes it to the handler. */
export interface IncomingRequest {
  readonly request: HttpRequest;
  readonly response: ResponseSink;
  /** The time by which the response must have ended, in epoch milliseconds. The log entry is written after it. */
  readonly deadlineMs: number;
  /** Aborted when the process shuts down, which ends the draining of responses whose callers have disconnected. */
  readonly signal: AbortSignal;
}

/** Mutated by `handler.ts` only. */
export interface Exchange extends IncomingRequest {
  /** The id of the request and of its log entry. */
  readonly id: string;
  readonly apiKey: ApiKey;
  readonly receivedAtMs: number;
  metadata: Metadata;
  chat: ChatRequest | null;
  provider: Provider | null;
  /** The requested model until the provider is known, then the same without the provider's prefix. */
  model: string | null;
  ignoredParameters: readonly string[];
  /** Set when the provider is called. */
  forwarded: boolean;
  retries: number;
  providerRequestId: string | null;
  firstTokenAtMs: number | null;
  facts: ResponseFacts;
  /** True when `facts.usage` is an estimate. */
  isEstimated: boolean;
  error: GatewayError | null;
}

export function startExchange(incoming: IncomingRequest, apiKey: ApiKey, receivedAtMs: number): Exchange {
  return {
    ...incoming,
    id: createLogId(receivedAtMs, randomInt(apiKey.log_shards)),
    apiKey,
    receivedAtMs,
    metadata: noMetadata,
    chat: null,
    provider: null,
    model: null,
    ignoredParameters: [],
    forwarded: false,
    retries: 0,
    providerRequestId: null,
    firstTokenAtMs: null,
    facts: noFacts,
    isEstimated: false,
    error: null,
  };
}
