/** Sends a request to one provider. A request has one attempt, or several if it names a route. */
import { hasLimits } from '#lambdas/access/directory.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { type KnownFacts, type OriginalError, StatedError } from '../completion/facts.ts';
import type { OpenConversationState } from '../conversation-state/state.ts';
import type { Operation, OperationRequest, SplitRequest } from '../operation.ts';
import { type CredentialSource, requireCredential } from '../providers/credentials.ts';
import type { PreparedRequest } from '../providers/provider.ts';
import { redact, redactError, redactFacts } from '../providers/redact.ts';
import type { ResolvedModel } from '../providers/registry.ts';
import type { AdmitRequest } from './admit-request.ts';
import type { Exchange } from './exchange.ts';
import type { Fallback } from './fallback.ts';
import type { ChatLimits } from './limits.ts';
import { shortenFacts, toInterruptedEntry, toLogEntry } from './log-entry.ts';
import { prefetchPrices } from './prefetch-prices.ts';
import { nothingRelayed, type RelayResult } from './read-response.ts';
import { relayCompletion, relayStream, sendBody } from './relay.ts';
import { responseHeaders } from './response-headers.ts';
import { type SendDependencies, type SendResult, send } from './send.ts';
import { createStreamResponse, type StreamResponse } from './stream-response.ts';
import { type EntryDependencies, writeEntry } from './write-entry.ts';

export interface PrepareDependencies {
  credentials: Pick<CredentialSource, 'find'>;
  /** Only for requests that continue what a provider keeps, and for responses that it keeps. */
  loadConversationState(): Promise<OpenConversationState>;
  now(): Date;
}

export interface AttemptDependencies
  extends SendDependencies,
    Omit<PrepareDependencies, 'credentials'>,
    Pick<EntryDependencies, 'log'> {
  credentials: CredentialSource;
  loadPricing(): Promise<Pricing>;
  /** Only for keys with a hard budget or rate limits. */
  loadAdmitRequest(): Promise<AdmitRequest>;
}

interface AttemptRequest {
  /** The body as the provider gets it, before its translation. */
  text: string;
  parsed: OperationRequest;
  resolved: ResolvedModel;
}

export interface ReadyAttempt extends AttemptRequest {
  prepared: PreparedRequest | SplitRequest;
  /** Its usage, as far as it is known before it is sent. */
  input: KnownFacts;
}

/** The part of an exchange that is known before the request is sent. */
export interface PreparedExchange
  extends Pick<Exchange, 'id' | 'receivedAtMs' | 'parsed' | 'provider' | 'model' | 'ignoredParameters'> {
  request: Pick<Exchange['request'], 'headers'>;
  operation: Pick<Exchange['operation'], 'name' | 'parse'>;
  apiKey: Pick<Exchange['apiKey'], 'organization_id'>;
}

/** Throws a `GatewayError` for a request that cannot be sent to the provider. */
export async function prepareAttempt(
  dependencies: PrepareDependencies,
  exchange: PreparedExchange,
  { text, parsed, resolved }: AttemptRequest,
): Promise<ReadyAttempt> {
  const { request, receivedAtMs, id } = exchange;
  const { provider, model } = resolved;
  Object.assign(exchange, { parsed, provider, model });
  const prepare = parsed.prepareFor(provider);
  const apiKey = await requireCredential(dependencies.credentials, provider);
  const callerHeaders = request.headers;
  const { name } = provider;
  const { now } = dependencies;
  const context = { provider: name, model, apiKey, callerHeaders, requestId: id, receivedAtMs, now };
  const prepared = await prepare(context);
  exchange.ignoredParameters = firstPart(prepared).ignoredParameters;
  if (parsed.openState !== undefined) {
    const owner = { provider: name, organizationId: exchange.apiKey.organization_id };
    await parsed.openState(async () => (await dependencies.loadConversationState())(owner));
  }
  return { text, parsed, resolved, prepared, input: parsed.estimateInput() };
}

function firstPart(prepared: PreparedRequest | SplitRequest): PreparedRequest {
  return 'parts' in prepared ? prepared.parts[0].prepared : prepared;
}

/** Throws a `GatewayError` if a limit refuses the request. With `budgetsOnly`, rate limits have admitted it before. */
export async function admitAttempt(
  dependencies: AttemptDependencies,
  exchange: Exchange,
  { text, prepared, input }: ReadyAttempt,
  { budgetsOnly } = { budgetsOnly: false },
): Promise<void> {
  if (!hasLimits(exchange.apiKey)) return;
  const admitRequest = await dependencies.loadAdmitRequest();
  const request = { text, prepared: firstPart(prepared), input, budgetsOnly };
  const { error, ...admission } = await admitRequest(exchange, request);
  Object.assign(exchange, admission);
  if (error !== null) throw error;
}

/** The provider may charge for the request from here on, however it ends. `superseded` is the attempt before it. */
export function startAttempt(
  { log, now }: AttemptDependencies,
  exchange: Exchange,
  { input }: Pick<ReadyAttempt, 'input'>,
  superseded?: { attempt: JsonObject },
): void {
  Object.assign(exchange, input);
  // If the function is killed, the log entry is restored from this line.
  const placeholder = serializeLogEntry(toInterruptedEntry(exchange, now().getTime()));
  log.info('request_forwarded', { log_id: exchange.id, entry: placeholder, ...superseded });
  exchange.forwardedAtMs = now().getTime();
}

/** `null` if the caller has not asked for a stream. `headers` are read when the response starts. */
export function openStream(
  { limits }: Pick<AttemptDependencies, 'limits'>,
  { operation, parsed, response }: Readonly<Exchange>,
  headers: (hasEvents: boolean) => Record<string, string>,
): StreamResponse | null {
  if (parsed?.stream !== true) return null;
  const { heartbeatEvent } = operation;
  return createStreamResponse({ response, headers, limits: streamLimits(limits, operation), heartbeatEvent });
}

function streamLimits(limits: ChatLimits, { minHeartbeatMs = 0 }: Operation): ChatLimits {
  const { heartbeatMs } = limits;
  return heartbeatMs === 0 || heartbeatMs >= minHeartbeatMs
    ? limits
    : { ...limits, heartbeatMs: minHeartbeatMs };
}

interface SentAttempt extends ReadyAttempt {
  stream: StreamResponse | null;
  /** `null` unless the request is one to a route. */
  fallback: Fallback | null;
}

/** Loaded for the few requests that are split. */
const loadRelayParts = lazy(() => import('./relay-parts.ts'));

/** Sends nothing to the caller if another target takes over; then the exchange has the error. */
export async function sendAttempt(
  dependencies: AttemptDependencies,
  exchange: Exchange,
  { resolved: { provider }, prepared, stream, fallback }: SentAttempt,
): Promise<void> {
  if ('parts' in prepared) {
    prefetch(dependencies, exchange);
    const { relayParts } = await loadRelayParts();
    const parts = await relayParts(dependencies, exchange, { provider, split: prepared });
    await fallback?.takeOver(parts.relayed.error, null);
    recordSent(exchange, parts);
    recordRelayed(exchange, parts);
    exchange.calls = parts.calls;
    if (parts.body === null) return;
    exchange.responseStartedAtMs = dependencies.now().getTime();
    return sendBody(exchange, parts.body);
  }
  const sending = send(dependencies, exchange, provider, prepared, fallback);
  prefetch(dependencies, exchange);
  const sent = await sending;
  recordSent(exchange, { sent, retries: sent.retries });
  const relayed = await relay(dependencies, exchange, { ...sent, stream, fallback }).finally(sent.watch.stop);
  recordRelayed(exchange, { sent, relayed });
}

/** Needed only when a response has ended, and therefore no part of a cold start. */
export const loadRecording = lazy(async () => {
  const [{ billOf }, { completionLine }] = await Promise.all([
    import('./bill.ts'),
    import('./completion-line.ts'),
  ]);
  return { billOf, completionLine };
});

function prefetch({ loadPricing }: AttemptDependencies, exchange: Readonly<Exchange>): void {
  prefetchPrices(exchange, loadPricing);
  exchange.parsed?.prefetch?.();
  loadRecording().catch(() => {});
}

/** The headers of the response to the caller need these facts. */
function recordSent(exchange: Exchange, { sent, retries }: { sent: SendResult; retries: number }): void {
  exchange.retries = retries;
  exchange.ignoredParameters = sent.prepared.ignoredParameters;
  exchange.providerRequestId = sent.response.requestId;
  exchange.providerHeaders = sent.response.callerHeaders;
}

function recordRelayed(
  exchange: Exchange,
  { sent, relayed }: { sent: SendResult; relayed: RelayResult },
): void {
  // A provider may echo the credential in an error message or in any other text of its response.
  const credential = sent.prepared.call.apiKey;
  exchange.facts = shortenFacts(redactFacts(relayed.facts, credential));
  exchange.isUsageEstimated = relayed.isUsageEstimated;
  exchange.providerRespondedAtMs = relayed.providerRespondedAtMs;
  exchange.responseStartedAtMs = relayed.responseStartedAtMs;
  exchange.firstTokenAtMs = relayed.firstTokenAtMs;
  exchange.error = relayed.error && redactError(relayed.error, credential);
  exchange.failedCall = relayed.error && { response: sent.response, error: relayed.error };
  exchange.originalError = originalOf(relayed.error, credential);
}

async function relay(
  { limits, now }: AttemptDependencies,
  exchange: Readonly<Exchange>,
  {
    response,
    prepared,
    watch,
    failureReadAtMs,
    stream,
    fallback,
  }: SendResult & Pick<SentAttempt, 'stream' | 'fallback'>,
): Promise<RelayResult> {
  if (response.kind === 'failure') {
    const { mayBeCharged, error } = response;
    await fallback?.takeOver(error, null, response.status);
    // A failure that the provider may charge for keeps the estimate of the input, made before the call.
    const { facts, isUsageEstimated } = mayBeCharged ? exchange : nothingRelayed;
    return {
      ...nothingRelayed,
      facts,
      isUsageEstimated,
      providerRespondedAtMs: failureReadAtMs,
      error,
    };
  }
  const options = { watch, limits, now, outputLimit: prepared.outputLimit, fallback };
  return stream === null
    ? relayCompletion(exchange, response, options)
    : relayStream(exchange, response, { ...options, stream });
}

function originalOf(error: GatewayError | null, credential: string | null): OriginalError | null {
  const original = error instanceof StatedError ? error.original : null;
  return original && { ...original, body: redact(original.body, credential) };
}

/** The id of a further entry of the request, with its time and its shard. */
function createSiblingId({ receivedAtMs, id }: Exchange): string {
  return createLogId(receivedAtMs, shardOfLogId(id));
}

/**
 * The steps of an attempt, for `routing/`. It is loaded on first use, and does not import them: a module that is imported by such
 * code too becomes a file of its own, which every cold start reads.
 */
export const attemptSteps = {
  prepare: prepareAttempt,
  admit: admitAttempt,
  start: startAttempt,
  openStream,
  send: sendAttempt,
  responseHeaders,
  toLogEntry,
  serializeLogEntry,
  writeEntry,
  createSiblingId,
};

export type AttemptSteps = typeof attemptSteps;
