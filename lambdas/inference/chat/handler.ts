/**
 * Handles chat completions from authentication to the log entry, the test stream and, behind the function URL, the list of
 * models.
 */
import type { Authenticate } from '#lambdas/access/authenticate.ts';
import { hasHardBudget } from '#lambdas/access/directory.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Cors } from '#lambdas/platform/http/cors.ts';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { readBodyText } from '#lambdas/platform/http/request.ts';
import { requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { readMetadata } from '#lambdas/request-log/metadata.ts';
import { parseChatRequest } from '../chat-request.ts';
import type { ModelsEndpoint } from '../models/endpoint.ts';
import type { CredentialSource } from '../providers/credentials.ts';
import { sseEvent } from '../providers/http/sse.ts';
import type { PreparedRequest, Provider } from '../providers/provider.ts';
import { redactError, redactFacts } from '../providers/redact.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { estimateInput } from './estimate.ts';
import { type Exchange, type IncomingRequest, startExchange } from './exchange.ts';
import { toInterruptedEntry, toLogEntry } from './log-entry.ts';
import { prefetchPrices } from './prefetch-prices.ts';
import { nothingRelayed, type RelayResult, relayCompletion, relayStream } from './relay.ts';
import type { ReserveMaxCost } from './reserve-max-cost.ts';
import { responseHeaders } from './response-headers.ts';
import { chatPath, findRoute, modelsPath, streamTestPath } from './routes.ts';
import { type SendDependencies, type SendResult, send } from './send.ts';
import { shortenFacts } from './short-text.ts';
import { createStreamResponse, type StreamResponse } from './stream-response.ts';
import type { SendStreamTest } from './stream-test.ts';
import { type EntryDependencies, writeEntry } from './write-entry.ts';

export interface ChatDependencies extends SendDependencies, EntryDependencies {
  authenticate: Authenticate;
  cors: Cors;
  credentials: CredentialSource;
  providers: ProviderRegistry;
  loadPricing(): Promise<Pricing>;
  /** Only for keys with a hard budget. */
  loadReserveMaxCost(): Promise<ReserveMaxCost>;
  loadModelsEndpoint(): Promise<ModelsEndpoint>;
  loadStreamTest(): Promise<SendStreamTest>;
}

/** Never rejects. Resolves when the response has ended and the log entry is written. */
export type ChatHandler = (incoming: IncomingRequest) => Promise<void>;

/** Logged when the caller disconnected before a status was sent; the code is nginx's convention. */
const clientDisconnectedStatus = 499;

const endpoints = { chat: chatPath, models: modelsPath, stream_test: streamTestPath };

/** Needed only when a response has ended, and therefore no part of a cold start. */
const loadRecording = lazy(async () => {
  const [{ billOf }, { completionLine }] = await Promise.all([
    import('./bill.ts'),
    import('./completion-line.ts'),
  ]);
  return { billOf, completionLine };
});

export function createChatHandler(dependencies: ChatDependencies): ChatHandler {
  const { authenticate, credentials, cors, now } = dependencies;
  const loadLogRejection = lazy(async () =>
    (await import('#lambdas/access/rejection-log.ts')).createRejectionLog(dependencies),
  );
  return async (incoming) => {
    const { request, response, deadlineMs } = incoming;
    const receivedAtMs = now().getTime();
    response.disconnectAfter(deadlineMs - receivedAtMs);
    response.addHeaders(cors.headersFor(request));
    let endpoint: string | null = null;
    try {
      const preflight = cors.preflight(request);
      if (preflight !== null) {
        response.start(preflight.statusCode, preflight.headers);
        return await response.end(preflight.body);
      }
      const route = findRoute(request);
      endpoint = endpoints[route.kind];
      const apiKey = await authenticate(request.headers.authorization, credentials.prefetch);
      if (route.kind === 'chat') await serveChat(dependencies, startExchange(incoming, apiKey, receivedAtMs));
      else if (route.kind === 'models') await sendModels(dependencies, response, route.id);
      else await (await dependencies.loadStreamTest())(response, apiKey);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      const logRejection = await loadLogRejection();
      logRejection({ error, endpoint, sourceIp: request.sourceIp, organizationId: null });
      await sendError(response, error, requestIdHeader());
      await response.end();
    }
  };
}

async function sendModels(
  { loadModelsEndpoint }: ChatDependencies,
  response: ResponseSink,
  pathId: string,
): Promise<void> {
  const modelsEndpoint = await loadModelsEndpoint();
  const body = await modelsEndpoint({ pathId });
  response.start(200, { ...requestIdHeader(), 'content-type': 'application/json' });
  await response.end(JSON.stringify(body));
}

async function serveChat(dependencies: ChatDependencies, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  try {
    await forwardAndRelay(dependencies, exchange);
  } catch (error) {
    exchange.error = toGatewayError(error);
  }
  if (exchange.error !== null) {
    if (response.status === null && !response.clientDisconnected) {
      exchange.responseStartedAtMs = dependencies.now().getTime();
    }
    await sendError(response, exchange.error, responseHeaders(exchange));
  }
  await response.end();
  const endedAtMs = dependencies.now().getTime();
  const { clientDisconnected, status } = response;
  const { billOf, completionLine } = await loadRecording();
  const bill = await billOf(exchange, dependencies.loadPricing);
  const entry = toLogEntry(exchange, {
    endedAtMs,
    status: status ?? clientDisconnectedStatus,
    clientDisconnected,
    bill,
  });
  dependencies.log.info('request_completed', completionLine(serializeLogEntry(entry), exchange.failedCall));
  await writeEntry(dependencies, entry, bill);
}

/** Throws a `GatewayError` for a request that cannot be forwarded. */
async function forwardAndRelay(dependencies: ChatDependencies, exchange: Exchange): Promise<void> {
  const { request, receivedAtMs, id } = exchange;
  const { credentials, providers, log, now } = dependencies;
  exchange.metadata = readMetadata(request.headers);
  const chat = parseChatRequest(await readBodyText(request));
  exchange.chat = chat;
  exchange.model = chat.model;
  const { provider, model } = providers.resolve(chat.model);
  exchange.provider = provider;
  exchange.model = model;
  const apiKey = await credentials.find(provider);
  if (apiKey === null && provider.credential === 'required') throw missingCredentialError(provider);
  const callerHeaders = request.headers;
  const { name } = provider;
  const call = { request: chat, provider: name, model, apiKey, callerHeaders, requestId: id, receivedAtMs };
  const first = await provider.prepare(call);
  exchange.ignoredParameters = first.ignoredParameters;
  if (hasHardBudget(exchange.apiKey)) {
    const reserveMaxCost = await dependencies.loadReserveMaxCost();
    const { reservation, error } = await reserveMaxCost(exchange, first);
    exchange.reservation = reservation;
    if (error !== null) throw error;
  }

  // The provider may charge for the request from here on, however it ends.
  Object.assign(exchange, estimateInput(chat));
  // If the function is killed, the log entry is restored from this line.
  const placeholder = serializeLogEntry(toInterruptedEntry(exchange, now().getTime()));
  log.info('request_forwarded', { log_id: id, entry: placeholder });
  exchange.forwardedAtMs = now().getTime();
  await sendAndRelay(dependencies, exchange, { provider, first });
}

async function sendAndRelay(
  dependencies: ChatDependencies,
  exchange: Exchange,
  { provider, first }: { provider: Provider; first: PreparedRequest },
): Promise<void> {
  const { response, chat } = exchange;
  const headers = () => responseHeaders(exchange);
  const stream = chat?.stream
    ? createStreamResponse({ response, headers, limits: dependencies.limits })
    : null;
  try {
    const sending = send(dependencies, exchange, provider, first);
    prefetchPrices(exchange, dependencies.loadPricing);
    loadRecording().catch(() => {});
    const sent = await sending;
    exchange.retries = sent.retries;
    exchange.ignoredParameters = sent.prepared.ignoredParameters;
    exchange.providerRequestId = sent.response.requestId;
    const relayed = await relay(dependencies, exchange, { ...sent, stream }).finally(sent.watch.stop);
    // A provider may echo the credential in an error message or in any other text of its response.
    const credential = sent.prepared.call.apiKey;
    exchange.facts = shortenFacts(redactFacts(relayed.facts, credential));
    exchange.isUsageEstimated = relayed.isUsageEstimated;
    exchange.providerRespondedAtMs = relayed.providerRespondedAtMs;
    exchange.responseStartedAtMs = relayed.responseStartedAtMs;
    exchange.firstTokenAtMs = relayed.firstTokenAtMs;
    exchange.error = relayed.error && redactError(relayed.error, credential);
    exchange.failedCall = relayed.error && { response: sent.response, error: relayed.error };
  } finally {
    stream?.stop();
  }
}

async function relay(
  { limits, now }: ChatDependencies,
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

/** Sends an HTTP error or, once the stream has started, an error event; the stream then ends without `[DONE]`. */
async function sendError(
  response: ResponseSink,
  error: GatewayError,
  headers: Record<string, string>,
): Promise<void> {
  if (response.clientDisconnected) return;
  if (response.status !== null) {
    await response.write(sseEvent(error.toBody()));
    return;
  }
  const rendered = renderError(error);
  response.start(rendered.statusCode, { ...headers, ...rendered.headers });
  await response.end(rendered.body);
}

function missingCredentialError({ name, remedy }: Provider): GatewayError {
  return new GatewayError('provider_not_configured', {
    param: 'model',
    message: `The provider ${name} has no credential: the gateway's operator must ${remedy}`,
  });
}
