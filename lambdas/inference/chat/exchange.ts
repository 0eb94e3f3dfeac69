/** One chat request, and everything that becomes known of it until its log entry is written. */
import { randomInt } from 'node:crypto';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type Metadata, noMetadata } from '#lambdas/request-log/metadata.ts';
import type { ChatRequest } from '../chat-request.ts';
import { noFacts, type Provider, type ResponseFacts } from '../providers/provider.ts';

/** What an entry point brings: a request, the place for its response, and the bounds of the time for both. */
export interface IncomingRequest {
  readonly request: HttpRequest;
  readonly response: ResponseSink;
  /** When the response has to be over, in milliseconds since 1970. The log entry is written after that. */
  readonly deadlineMs: number;
  /** Aborted when the process shuts down: a provider is read no further for a caller who has gone. */
  readonly signal: AbortSignal;
}

/** Only `handler.ts` changes it. */
export interface Exchange extends IncomingRequest {
  /** Of the log entry, too. */
  readonly id: string;
  readonly apiKey: ApiKey;
  readonly receivedAtMs: number;
  metadata: Metadata;
  chat: ChatRequest | null;
  provider: Provider | null;
  /** As the caller named it until the provider is known, then without the provider's prefix. */
  model: string | null;
  ignoredParameters: readonly string[];
  /** Whether the provider was called. */
  forwarded: boolean;
  /** How often the request was sent again. */
  retries: number;
  providerRequestId: string | null;
  firstTokenAtMs: number | null;
  facts: ResponseFacts;
  /** Whether the usage among the facts is a guess. */
  isEstimated: boolean;
  error: GatewayError | null;
}

export function startExchange(arrival: IncomingRequest, apiKey: ApiKey, receivedAtMs: number): Exchange {
  return {
    ...arrival,
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
