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
import type { Provider } from '../shared/providers/provider.ts';
import type { ProviderRegistry } from '../shared/providers/registry.ts';
import { type ForwardServices, forward } from './forward.ts';
import { ignoredParametersHeader } from './ignored-parameters.ts';
import { shareRemainingTime } from './limits.ts';
import { type LogDraft, startLogDraft } from './log-draft.ts';
import { findRoute } from './routes.ts';
import { writeEntry } from './write-entry.ts';

export interface ChatServices extends ForwardServices {
  authenticate: Authenticate;
  credentials: CredentialSource;
  providers: ProviderRegistry;
  loadModelsEndpoint: () => Promise<ModelsEndpoint>;
  withMetadata: WithMetadata;
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
  /** What is left of the function's time. */
  remainingMs(): number;
}

export function createChatHandler(services: ChatServices): ChatHandler {
  return async (event, responseStream, context) => {
    const receivedAtMs = services.now().getTime();
    const remainingMs = () => context.getRemainingTimeInMillis();
    const response = createStreamedResponse(responseStream, services.withMetadata);
    response.giveUpAfter(shareRemainingTime(remainingMs()).callerMs);
    try {
      const request = readHttpRequest(event);
      const route = findRoute(request);
      services.credentials.prefetch();
      const apiKey = await services.authenticate(request.headers.authorization);
      if (route.kind === 'models') return await answerModels(services, response, route);
      const draft = startLogDraft(apiKey, receivedAtMs);
      const headers = { 'x-gateway-request-id': draft.id };
      await serve(services, { event, request, response, headers, draft, remainingMs });
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
  draft.request = chat;
  const { provider, model } = services.providers.resolve(chat.model);
  draft.model = model;
  draft.provider = provider;
  headers['x-gateway-provider'] = provider.name;
  const prepare = (apiKey: string | null) =>
    provider.prepare({
      request: chat,
      model,
      apiKey,
      callerHeaders: request.headers,
      requestId: draft.id,
      receivedAtMs: draft.receivedAtMs,
    });
  const apiKey = await findApiKey(services.credentials, provider);
  const prepared = await prepare(apiKey);
  const { ignoredParameters } = prepared;
  if (ignoredParameters.length > 0) {
    headers['x-gateway-ignored-parameters'] = ignoredParametersHeader(ignoredParameters);
  }
  const renew = async () => {
    const renewed = apiKey === null ? null : await services.credentials.refresh(provider, apiKey);
    return renewed === null ? null : prepare(renewed);
  };
  await forward(services, { ...exchange, provider, prepared, renew });
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
