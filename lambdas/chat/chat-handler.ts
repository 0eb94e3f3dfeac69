/** `POST /ai/chat/completions`: checks, forwards, relays, logs. Behind the Function URL, the models too. */
import type { Writable } from 'node:stream';
import { parseChatRequest } from '../shared/domain/chat-request.ts';
import { GatewayError } from '../shared/domain/gateway-error.ts';
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
import type { ModelsEndpoint } from '../shared/models-endpoint.ts';
import type { CredentialSource } from '../shared/providers/credential-source.ts';
import { createDeadlineWatch } from '../shared/providers/http/deadline-watch.ts';
import type { HttpTransport } from '../shared/providers/http/http-transport.ts';
import type { PreparedRequest, Provider } from '../shared/providers/provider.ts';
import type { ProviderRegistry } from '../shared/providers/registry.ts';
import { forwardedLine } from './forwarded-line.ts';
import { ignoredParametersHeader } from './ignored-parameters.ts';
import { type ChatLimits, shareRemainingTime } from './limits.ts';
import { type LogDraft, startLogDraft } from './log-draft.ts';
import { relayAnswer, relayStream } from './relay.ts';
import { findRoute } from './routes.ts';
import { type EntryServices, writeEntry } from './write-entry.ts';

export interface ChatServices extends EntryServices {
  authenticate: Authenticate;
  credentials: CredentialSource;
  providers: ProviderRegistry;
  transport: HttpTransport;
  loadModelsEndpoint: () => Promise<ModelsEndpoint>;
  withMetadata: WithMetadata;
  limits: ChatLimits;
}

export type ChatHandler = (
  event: HttpEvent,
  responseStream: Writable,
  context: { getRemainingTimeInMillis(): number },
) => Promise<void>;

/** Logged when the caller left before there was a status to send; nginx made the number common. */
const callerGoneStatus = 499;

/** One request on its way through the handler. */
interface Exchange {
  event: HttpEvent;
  request: HttpRequest;
  response: StreamedResponse;
  headers: Record<string, string>;
  draft: LogDraft;
  /** How long the provider may take. */
  providerMs: number;
}

export function createChatHandler(services: ChatServices): ChatHandler {
  return async (event, responseStream, context) => {
    const receivedAtMs = services.now().getTime();
    const { providerMs, callerMs } = shareRemainingTime(context.getRemainingTimeInMillis());
    const response = createStreamedResponse(responseStream, services.withMetadata);
    response.giveUpAfter(callerMs);
    try {
      const request = readHttpRequest(event);
      const route = findRoute(request);
      services.credentials.prefetch();
      const apiKey = await services.authenticate(request.headers.authorization);
      if (route.kind === 'models') return await answerModels(services, response, route);
      const draft = startLogDraft(apiKey, receivedAtMs);
      const headers = { 'x-gateway-request-id': draft.id };
      await serve(services, { event, request, response, headers, draft, providerMs });
    } catch (error) {
      await answerWithError(response, asGatewayError(error), {});
    }
  };
}

async function answerModels(
  services: ChatServices,
  response: StreamedResponse,
  { id }: { id: string },
): Promise<void> {
  const endpoint = await services.loadModelsEndpoint();
  const body = await endpoint({ id });
  response.start(200, { 'content-type': 'application/json' });
  await response.write(JSON.stringify(body));
  await response.end();
}

async function serve(services: ChatServices, exchange: Exchange): Promise<void> {
  const { response, headers, draft } = exchange;
  try {
    await complete(services, exchange);
  } catch (error) {
    draft.error = asGatewayError(error);
    await answerWithError(response, draft.error, headers);
  }
  await response.end();
  draft.callerGone = response.callerGone;
  await writeEntry(services, draft, response.status ?? callerGoneStatus);
}

async function complete(services: ChatServices, exchange: Exchange): Promise<void> {
  const { event, request, headers, draft } = exchange;
  draft.metadata = readMetadata(request.headers);
  const chat = parseChatRequest(readBodyText(event));
  draft.model = chat.model;
  draft.stream = chat.stream;
  const { provider, model } = services.providers.resolve(chat.model);
  draft.model = model;
  draft.provider = provider;
  headers['x-gateway-provider'] = provider.name;
  const prepared = await provider.prepare({
    request: chat,
    model,
    apiKey: await findApiKey(services.credentials, provider),
    callerHeaders: request.headers,
    requestId: draft.id,
    receivedAtMs: draft.receivedAtMs,
  });
  const { ignoredParameters } = prepared;
  if (ignoredParameters.length > 0) {
    headers['x-gateway-ignored-parameters'] = ignoredParametersHeader(ignoredParameters);
  }
  await forward(services, exchange, { provider, prepared });
}

async function forward(
  services: ChatServices,
  exchange: Exchange,
  { provider, prepared }: { provider: Provider; prepared: PreparedRequest },
): Promise<void> {
  const { response, headers, draft, providerMs } = exchange;
  const { limits, now, transport } = services;
  const watch = createDeadlineWatch({ ...limits, totalMs: providerMs });
  response.onCallerGone(() => watch.finishWithin({ milliseconds: limits.drainMs, bytes: limits.drainBytes }));
  try {
    draft.forwarded = true;
    services.output.log(forwardedLine(draft, now().getTime()));
    const sending = prepared.send({ ...limits, transport, watch });
    // Loads while the provider works; a failure shows when the price is needed.
    services.loadPriceTable().catch(() => {});
    const reply = await sending;
    draft.providerRequestId = reply.requestId;
    if (reply.requestId !== null) headers['x-gateway-provider-request-id'] = reply.requestId;
    const relay = { provider, response, headers, draft, now };
    switch (reply.kind) {
      case 'refusal':
        throw reply.error;
      case 'answer':
        return await relayAnswer(relay, await reply.read());
      case 'stream':
        return await relayStream(relay, reply);
      default:
        return reply satisfies never;
    }
  } finally {
    watch.stop();
  }
}

async function findApiKey(credentials: CredentialSource, provider: Provider): Promise<string | null> {
  const apiKey = await credentials.find(provider);
  if (apiKey === null && provider.credential === 'required') {
    throw new GatewayError('provider_not_configured', {
      param: 'model',
      message: `The provider ${provider.name} has no credential here: its operator ${provider.remedy}`,
    });
  }
  return apiKey;
}

async function answerWithError(
  response: StreamedResponse,
  error: GatewayError,
  headers: Record<string, string>,
): Promise<void> {
  if (response.status === null && !response.callerGone) {
    const rendered = renderError(error);
    response.start(rendered.statusCode, { ...headers, ...rendered.headers });
    await response.write(rendered.body);
  }
  await response.end();
}
