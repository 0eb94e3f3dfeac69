/** Serves a request of any operation, from its metadata to its log entry. */
import { hasLimits } from '#lambdas/access/directory.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { readBodyText } from '#lambdas/platform/http/request.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { readMetadata, withAgentSession } from '#lambdas/request-log/metadata.ts';
import { type OriginalError, StatedError } from '../completion/facts.ts';
import type { OpenConversationState } from '../conversation-state/state.ts';
import { sendError } from '../errors.ts';
import type { Operation, OperationRequest, SplitRequest } from '../operation.ts';
import { type CredentialSource, requireCredential } from '../providers/credentials.ts';
import type { PreparedRequest, Provider } from '../providers/provider.ts';
import { redact, redactError, redactFacts } from '../providers/redact.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { AdmitRequest } from './admit-request.ts';
import type { Exchange } from './exchange.ts';
import type { ChatLimits } from './limits.ts';
import { shortenFacts, toInterruptedEntry, toLogEntry } from './log-entry.ts';
import { prefetchPrices } from './prefetch-prices.ts';
import { nothingRelayed, type RelayResult, relayCompletion, relayStream, sendBody } from './relay.ts';
import { responseHeaders } from './response-headers.ts';
import { type SendDependencies, type SendResult, send } from './send.ts';
import { createStreamResponse, type StreamResponse } from './stream-response.ts';
import { type EntryDependencies, writeEntry } from './write-entry.ts';

export interface ServeDependencies extends SendDependencies, EntryDependencies {
  credentials: CredentialSource;
  providers: ProviderRegistry;
  /** The setting: whether the session of an agent fills `session_id`. */
  agentSessions: boolean;
  loadPricing(): Promise<Pricing>;
  /** Only for requests that continue what a provider keeps, and for responses that it keeps. */
  loadConversationState(): Promise<OpenConversationState>;
  /** Only for keys with a hard budget or rate limits. */
  loadAdmitRequest(): Promise<AdmitRequest>;
}

/** Logged when the caller disconnected before a status was sent; the code is nginx's convention. */
const clientDisconnectedStatus = 499;

/** Needed only when a response has ended, and therefore no part of a cold start. */
const loadRecording = lazy(async () => {
  const [{ billOf }, { completionLine }] = await Promise.all([
    import('./bill.ts'),
    import('./completion-line.ts'),
  ]);
  return { billOf, completionLine };
});

const loadRefusedEntryLimit = lazy(async () =>
  (await import('./refused-entries.ts')).createRefusedEntryLimit(),
);

/** Resolves when the response has ended and the log entry is written. */
export async function serve(dependencies: ServeDependencies, exchange: Exchange): Promise<void> {
  const { operation, response } = exchange;
  try {
    await forwardAndRelay(dependencies, exchange);
  } catch (error) {
    exchange.error = toGatewayError(error);
  }
  if (exchange.error !== null) {
    if (response.status === null && !response.clientDisconnected) {
      exchange.responseStartedAtMs = dependencies.now().getTime();
    }
    const failure = { error: exchange.error, original: exchange.originalError, requestId: exchange.id };
    const { renderErrorEvent } = exchange.parsed ?? {};
    const format = { ...operation, ...(renderErrorEvent && { renderErrorEvent }) };
    await sendError(response, failure, { format, headers: responseHeaders(exchange) });
  }
  await response.end();
  const endedAtMs = dependencies.now().getTime();
  const { clientDisconnected, status } = response;
  const { billOf, completionLine } = await loadRecording();
  const bill = await billOf(exchange, dependencies.loadPricing);
  let entry: LogEntry | null = toLogEntry(exchange, {
    endedAtMs,
    status: status ?? clientDisconnectedStatus,
    clientDisconnected,
    bill,
  });
  if (exchange.refusal?.by === 'rate_limit') entry = (await loadRefusedEntryLimit())(entry, endedAtMs);
  if (entry === null) return;
  dependencies.log.info('request_completed', completionLine(serializeLogEntry(entry), exchange.failedCall));
  // Between the line, from which the entry is recovered, and the entry, which counts what is pending from then on.
  await exchange.lease?.end({ costUsd: entry.cost_usd, tokens: entry.total_tokens ?? 0 });
  await writeEntry(dependencies, entry, bill);
}

/** Throws a `GatewayError` for a request that cannot be forwarded. */
async function forwardAndRelay(dependencies: ServeDependencies, exchange: Exchange): Promise<void> {
  const { operation, request, receivedAtMs, id } = exchange;
  const { credentials, providers, log, now } = dependencies;
  exchange.metadata = readMetadata(request.headers);
  if (dependencies.agentSessions)
    exchange.metadata = withAgentSession(exchange.metadata, operation.name, request.headers);
  const text = await readBodyText(request);
  const parsed = operation.parse(text);
  exchange.parsed = parsed;
  exchange.model = parsed.model;
  const { provider, model } = providers.resolve(parsed.model);
  exchange.provider = provider;
  exchange.model = model;
  const prepare = parsed.prepareFor(provider);
  const apiKey = await requireCredential(credentials, provider);
  const callerHeaders = request.headers;
  const { name } = provider;
  const context = { provider: name, model, apiKey, callerHeaders, requestId: id, receivedAtMs, now };
  const prepared = await prepare(context);
  const first = 'parts' in prepared ? prepared.parts[0].prepared : prepared;
  exchange.ignoredParameters = first.ignoredParameters;
  if (parsed.openState !== undefined) {
    const owner = { provider: name, organizationId: exchange.apiKey.organization_id };
    await parsed.openState(async () => (await dependencies.loadConversationState())(owner));
  }
  const input = parsed.estimateInput();
  if (hasLimits(exchange.apiKey)) {
    const admitRequest = await dependencies.loadAdmitRequest();
    const { error, ...admission } = await admitRequest(exchange, { text, prepared: first, input });
    Object.assign(exchange, admission);
    if (error !== null) throw error;
  }

  // The provider may charge for the request from here on, however it ends.
  Object.assign(exchange, input);
  // If the function is killed, the log entry is restored from this line.
  const placeholder = serializeLogEntry(toInterruptedEntry(exchange, now().getTime()));
  log.info('request_forwarded', { log_id: id, entry: placeholder });
  exchange.forwardedAtMs = now().getTime();
  await sendAndRelay(dependencies, exchange, { provider, parsed, prepared });
}

interface ReadyRequest {
  provider: Provider;
  parsed: OperationRequest;
  prepared: PreparedRequest | SplitRequest;
}

/** Loaded for the few requests that are split. */
const loadRelayParts = lazy(() => import('./relay-parts.ts'));

async function sendAndRelay(
  dependencies: ServeDependencies,
  exchange: Exchange,
  { provider, parsed, prepared }: ReadyRequest,
): Promise<void> {
  const { response } = exchange;
  const headers = () => responseHeaders(exchange);
  const limits = streamLimits(dependencies.limits, exchange.operation);
  const { heartbeatEvent } = exchange.operation;
  const stream = parsed.stream ? createStreamResponse({ response, headers, limits, heartbeatEvent }) : null;
  try {
    if ('parts' in prepared) {
      prefetch(dependencies, exchange);
      const { relayParts } = await loadRelayParts();
      const parts = await relayParts(dependencies, exchange, { provider, split: prepared });
      recordSent(exchange, parts);
      recordRelayed(exchange, parts);
      exchange.calls = parts.calls;
      if (parts.body === null) return;
      exchange.responseStartedAtMs = dependencies.now().getTime();
      return await sendBody(exchange, parts.body);
    }
    const sending = send(dependencies, exchange, provider, prepared);
    prefetch(dependencies, exchange);
    const sent = await sending;
    recordSent(exchange, { sent, retries: sent.retries });
    const relayed = await relay(dependencies, exchange, { ...sent, stream }).finally(sent.watch.stop);
    recordRelayed(exchange, { sent, relayed });
  } finally {
    stream?.stop();
  }
}

function streamLimits(limits: ChatLimits, { minHeartbeatMs = 0 }: Operation): ChatLimits {
  const { heartbeatMs } = limits;
  return heartbeatMs === 0 || heartbeatMs >= minHeartbeatMs
    ? limits
    : { ...limits, heartbeatMs: minHeartbeatMs };
}

function prefetch({ loadPricing }: ServeDependencies, exchange: Readonly<Exchange>): void {
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
  { limits, now }: ServeDependencies,
  exchange: Readonly<Exchange>,
  { response, prepared, watch, failureReadAtMs, stream }: SendResult & { stream: StreamResponse | null },
): Promise<RelayResult> {
  if (response.kind === 'failure') {
    const { mayBeCharged, error } = response;
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
  const options = { watch, limits, now, outputLimit: prepared.outputLimit };
  return stream === null
    ? relayCompletion(exchange, response, options)
    : relayStream(exchange, response, { ...options, stream });
}

function originalOf(error: GatewayError | null, credential: string | null): OriginalError | null {
  const original = error instanceof StatedError ? error.original : null;
  return original && { ...original, body: redact(original.body, credential) };
}
