/** `POST /ai/chat/completions`: checks, forwards, relays, logs. */
import type { Writable } from 'node:stream';
import { parseChatRequest } from '../shared/domain/chat-request.ts';
import { GatewayError } from '../shared/domain/gateway-error.ts';
import type { LogEntryWriter } from '../shared/domain/log-entry.ts';
import { readMetadata } from '../shared/domain/metadata.ts';
import type { Authenticate } from '../shared/http/authenticate.ts';
import { asGatewayError, renderError } from '../shared/http/error-response.ts';
import {
  type HttpEvent,
  type HttpRequest,
  readBodyText,
  readHttpRequest,
} from '../shared/http/http-request.ts';
import {
  createStreamedResponse,
  type StreamedResponse,
  type WithMetadata,
} from '../shared/http/streamed-response.ts';
import { type Price, type PriceTable, priceUsage } from '../shared/pricing/price.ts';
import type { CredentialSource } from '../shared/providers/credential-source.ts';
import type { Deadlines } from '../shared/providers/deadline-watch.ts';
import type { HttpTransport } from '../shared/providers/http-transport.ts';
import type { Provider } from '../shared/providers/provider.ts';
import { errorFromReply } from '../shared/providers/provider-error.ts';
import type { ProviderRegistry } from '../shared/providers/registry.ts';
import { finishLogDraft, type LogDraft, startLogDraft } from './log-draft.ts';
import { type Relay, readWhole, relayAnswer, relayStream } from './relay.ts';

export interface ChatServices {
  authenticate: Authenticate;
  credentials: CredentialSource;
  providers: ProviderRegistry;
  transport: HttpTransport;
  logEntries: LogEntryWriter;
  loadPriceTable(): Promise<PriceTable>;
  withMetadata: WithMetadata;
  now(): Date;
  /** Until the first byte, and between two, of a provider's answer. */
  deadlines: Pick<Deadlines, 'firstByteMs' | 'idleMs'>;
}

export type ChatHandler = (
  event: HttpEvent,
  responseStream: Writable,
  context: { getRemainingTimeInMillis(): number },
) => Promise<void>;

const path = '/ai/chat/completions';

/** What is left of the function's time when a provider must have ended: enough to answer and to log. */
const reserveMs = 10_000;

/** Logged when the caller left before there was a status to send; nginx made the number common. */
const callerGoneStatus = 499;

/** One request on its way through the handler. */
interface Exchange {
  event: HttpEvent;
  request: HttpRequest;
  response: StreamedResponse;
  headers: Record<string, string>;
  draft: LogDraft;
  deadlines: Deadlines;
}

export function createChatHandler(services: ChatServices): ChatHandler {
  return async (event, responseStream, context) => {
    const receivedAtMs = services.now().getTime();
    const response = createStreamedResponse(responseStream, services.withMetadata);
    try {
      const request = readHttpRequest(event);
      checkRoute(request);
      services.credentials.prefetch();
      const apiKey = await services.authenticate(request.headers.authorization);
      const draft = startLogDraft(apiKey, receivedAtMs);
      const headers = { 'x-gateway-request-id': draft.id };
      const totalMs = Math.max(context.getRemainingTimeInMillis() - reserveMs, 1000);
      const deadlines = { ...services.deadlines, totalMs };
      await serve(services, { event, request, response, headers, draft, deadlines });
    } catch (error) {
      await answerWithError(response, asGatewayError(error), {});
    }
  };
}

/** A Function URL takes every path and method. */
function checkRoute(request: HttpRequest): void {
  if (request.path !== path) {
    throw new GatewayError('not_found', {
      message: `There is nothing here: chat completions are at ${path}`,
    });
  }
  if (request.method !== 'POST') {
    throw new GatewayError('method_not_allowed', { message: `${path} takes POST, not ${request.method}` });
  }
}

async function serve(services: ChatServices, exchange: Exchange): Promise<void> {
  const { response, headers, draft } = exchange;
  let status = 200;
  try {
    await complete(services, exchange);
  } catch (error) {
    draft.error = asGatewayError(error);
    if (!response.started) status = draft.error.status;
    await answerWithError(response, draft.error, headers);
  }
  await response.end();
  draft.callerGone = response.callerGone;
  await log(services, draft, response.started ? status : callerGoneStatus);
}

async function complete(services: ChatServices, exchange: Exchange): Promise<void> {
  const { event, request, headers, draft } = exchange;
  draft.metadata = readMetadata(request.headers);
  const chat = parseChatRequest(readBodyText(event));
  draft.model = chat.model;
  draft.stream = chat.stream;
  const { provider, model } = services.providers.resolve(chat.model);
  draft.model = model;
  draft.provider = provider.name;
  headers['x-gateway-provider'] = provider.name;
  const apiKey = await findApiKey(services.credentials, provider);
  const outgoing = provider.buildRequest({ request: chat, model, apiKey, callerHeaders: request.headers });

  draft.forwarded = true;
  const sending = services.transport(outgoing, exchange.deadlines);
  // Loads while the provider works; a failure shows when the price is needed.
  services.loadPriceTable().catch(() => {});
  const reply = await sending;
  draft.providerRequestId = provider.requestIdOf(reply.headers)?.slice(0, 128) ?? null;
  if (draft.providerRequestId !== null) headers['x-gateway-provider-request-id'] = draft.providerRequestId;

  if (reply.status < 200 || reply.status > 299) {
    const { status, headers: replyHeaders } = reply;
    const body = await readWhole(reply);
    throw errorFromReply({ provider: provider.name, model, status, headers: replyHeaders, body });
  }
  const relay: Relay = { ...exchange, request: chat, provider, reply, now: services.now };
  await (isEventStream(relay) ? relayStream(relay) : relayAnswer(relay));
}

async function findApiKey(credentials: CredentialSource, provider: Provider): Promise<string | null> {
  const apiKey = await credentials.find(provider);
  if (apiKey === null && provider.credential === 'required') {
    throw new GatewayError('provider_not_configured', {
      param: 'model',
      message: `The provider ${provider.name} has no credential here: its operator sets one with "admin provider set ${provider.name}"`,
    });
  }
  return apiKey;
}

/** What the provider says it sends counts, not what was asked for. */
function isEventStream({ reply, request }: Relay): boolean {
  const contentType = reply.headers['content-type'];
  return contentType === undefined ? request.stream : contentType.includes('text/event-stream');
}

async function answerWithError(
  response: StreamedResponse,
  error: GatewayError,
  headers: Record<string, string>,
): Promise<void> {
  if (!response.started && !response.callerGone) {
    const rendered = renderError(error);
    response.start(rendered.statusCode, { ...headers, ...rendered.headers });
    await response.write(rendered.body);
  }
  await response.end();
}

/** Never throws: the caller has its answer, and an entry that cannot be written is kept in a log line. */
async function log(services: ChatServices, draft: LogDraft, status: number): Promise<void> {
  const endedAtMs = services.now().getTime();
  const entry = finishLogDraft(draft, { endedAtMs, status, price: await priceOf(services, draft) });
  try {
    await services.logEntries.put(entry);
  } catch (error) {
    asGatewayError(error);
    // The whole entry, so that it can be put back; it holds neither prompt nor answer.
    console.error(JSON.stringify({ level: 'ERROR', event: 'log_entry_not_written', entry }));
  }
}

async function priceOf({ loadPriceTable, providers }: ChatServices, draft: LogDraft): Promise<Price | null> {
  const { facts, provider, model, receivedAtMs } = draft;
  if (facts.usage === null || provider === null || model === null) return null;
  const configuredPrices = providers.resolve(`${provider}/${model}`).provider.prices;
  const { usage, responseModel } = facts;
  try {
    return priceUsage(
      { provider, model, responseModel, usage, at: new Date(receivedAtMs), configuredPrices },
      await loadPriceTable(),
    );
  } catch (error) {
    asGatewayError(error);
    return { cost_usd: '0', pricing: 'unknown', pricing_version: null };
  }
}
