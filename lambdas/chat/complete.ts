/** Makes of the event of a chat request the request for its provider, and sees it through. */
import { parseChatRequest } from '../shared/domain/chat-request.ts';
import { GatewayError } from '../shared/domain/gateway-error.ts';
import { readMetadata } from '../shared/domain/metadata.ts';
import { type HttpEvent, type HttpRequest, readBodyText } from '../shared/http/http-request.ts';
import type { StreamedResponse } from '../shared/http/streamed-response.ts';
import type { CredentialSource } from '../shared/providers/credential-source.ts';
import type { Provider } from '../shared/providers/provider.ts';
import type { ProviderRegistry } from '../shared/providers/registry.ts';
import { type ForwardServices, forward } from './forward.ts';
import { ignoredParametersHeader } from './ignored-parameters.ts';
import type { LogDraft } from './log-draft.ts';

export interface CompleteServices extends ForwardServices {
  credentials: CredentialSource;
  providers: ProviderRegistry;
}

/** One request on its way through the handler. */
export interface Exchange {
  event: HttpEvent;
  request: HttpRequest;
  response: StreamedResponse;
  headers: Record<string, string>;
  draft: LogDraft;
  /** What is left of the function's time. */
  remainingMs(): number;
}

/** Throws a `GatewayError` for all that ends without an answer to the caller. */
export async function complete(services: CompleteServices, exchange: Exchange): Promise<void> {
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
