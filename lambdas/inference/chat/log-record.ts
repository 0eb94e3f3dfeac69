/** A log entry while its request runs: facts are noted as they come, and the entry is made of them at the end. */
import { randomInt } from 'node:crypto';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';
import { entryText } from '#lambdas/request-log/entry-json.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type Metadata, noMetadata, onOneLine } from '#lambdas/request-log/metadata.ts';
import { type AnswerFacts, noFacts, type Provider } from '../providers/provider.ts';
import type { ChatRequest } from './request.ts';
export interface LogDraft {
  readonly id: string;
  readonly apiKey: ApiKey;
  readonly receivedAtMs: number;
  metadata: Metadata;
  model: string | null;
  provider: Provider | null;
  stream: boolean;
  request: ChatRequest | null;
  /** Whether the provider was called. */
  forwarded: boolean;
  /** How often the request was sent again. */
  retries: number;
  providerRequestId: string | null;
  firstTokenAtMs: number | null;
  facts: AnswerFacts;
  /** Whether the usage among the facts is a guess. */
  isEstimated: boolean;
  callerGone: boolean;
  error: GatewayError | null;
}

export function startLogDraft(apiKey: ApiKey, receivedAtMs: number): LogDraft {
  return {
    id: createLogId(receivedAtMs, randomInt(apiKey.log_shards)),
    apiKey,
    receivedAtMs,
    metadata: noMetadata,
    model: null,
    provider: null,
    stream: false,
    request: null,
    forwarded: false,
    retries: 0,
    providerRequestId: null,
    firstTokenAtMs: null,
    facts: noFacts,
    isEstimated: false,
    callerGone: false,
    error: null,
  };
}

export interface DraftEnd {
  endedAtMs: number;
  /** The status that the caller was sent. */
  status: number;
  /** `null` when there is no usage to price. */
  price: Price | null;
}

export function finishLogDraft(draft: LogDraft, { endedAtMs, status, price }: DraftEnd): LogEntry {
  return {
    id: draft.id,
    organization_id: draft.apiKey.organization_id,
    created_at: new Date(draft.receivedAtMs).toISOString(),
    model: draft.model,
    response_model: brief(draft.facts.responseModel),
    provider: draft.provider?.name ?? null,
    status,
    outcome: outcomeOf(draft),
    stream: draft.stream,
    ...usageFields(draft.facts.usage),
    ...(price ?? { cost_usd: '0', pricing: null, pricing_version: null }),
    usage_source: usageSourceOf(draft),
    retries: draft.retries || null,
    finish_reason: brief(draft.facts.finishReason),
    latency_ms: sinceReceived(draft, endedAtMs),
    time_to_first_token_ms: draft.firstTokenAtMs && sinceReceived(draft, draft.firstTokenAtMs),
    ...draft.metadata,
    api_key_id: draft.apiKey.id,
    provider_request_id: brief(draft.providerRequestId),
    error_code: brief(draft.error?.toBody().error.code ?? null),
  };
}

function usageSourceOf({ facts, isEstimated }: LogDraft): LogEntry['usage_source'] {
  if (facts.usage === null) return 'missing';
  return isEstimated ? 'estimated' : 'provider';
}

/** A clock can be set back. */
function sinceReceived({ receivedAtMs }: LogDraft, atMs: number): number {
  return Math.max(0, atMs - receivedAtMs);
}

/**
 * What a provider says of itself, cut short: the entry has to stay small, and text that can be stored, and put back from one
 * line of a log.
 */
function brief(text: string | null): string | null {
  return text === null ? null : onOneLine(text.slice(0, 128));
}

function outcomeOf({ forwarded, callerGone, error }: LogDraft): Outcome {
  if (!forwarded) return 'rejected';
  if (callerGone) return 'client_closed';
  if (error === null) return 'completed';
  return error.code === 'provider_timeout' ? 'timeout' : 'provider_error';
}

// The line that is left in the log of a request whose function was killed while the provider worked on it.

/** The entry that the request has if nothing more is ever written of it: `admin logs recover` makes it of the line. */
export function forwardedLine(draft: LogDraft, atMs: number): string {
  const entry = finishLogDraft(draft, { endedAtMs: atMs, status: 502, price: null });
  return JSON.stringify({
    level: 'INFO',
    event: 'request_forwarded',
    entry: entryText({ ...entry, outcome: 'interrupted' }),
  });
}
