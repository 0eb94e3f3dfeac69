/** Makes of the event of a chat request the request for its provider, and sees it through. */

import { GatewayError } from '#lambdas/platform/errors.ts';
import { type HttpEvent, type HttpRequest, readBodyText } from '#lambdas/platform/http/request.ts';
import type { StreamedResponse } from '#lambdas/platform/http/streamed-response.ts';
import { readMetadata } from '#lambdas/request-log/metadata.ts';
import type { CredentialSource } from '../providers/credential-cache.ts';
import type { PreparedRequest, Provider, ProviderReply } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { forwardedLine, type LogDraft } from './log-record.ts';
import { relayAnswer, relayStream } from './relay.ts';
import { parseChatRequest } from './request.ts';
import { type SendServices, sendWithRetries } from './send.ts';
import type { EntryServices } from './write-record.ts';
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

// The part of a request that costs money: sent to its provider, and the answer brought to the caller.

export type ForwardServices = SendServices & EntryServices;

export interface Forwarding {
  provider: Provider;
  prepared: PreparedRequest;
  /** The same with the credential that has come since; `null` when there is none. */
  renew(): Promise<PreparedRequest | null>;
  response: StreamedResponse;
  headers: Record<string, string>;
  draft: LogDraft;
  /** What is left of the function's time. */
  remainingMs(): number;
}

export async function forward(services: ForwardServices, forwarding: Forwarding): Promise<void> {
  const { draft } = forwarding;
  draft.forwarded = true;
  services.output.log(forwardedLine(draft, services.now().getTime()));
  const sending = sendWithRetries(services, forwarding);
  // Loads while the provider works; a failure shows when the price is needed.
  services.loadPriceTable().catch(() => {});
  const { reply, watch } = await sending;
  try {
    await relayReply(services, forwarding, reply);
  } finally {
    watch.stop();
  }
}

async function relayReply(
  { now }: ForwardServices,
  { provider, response, headers, draft }: Forwarding,
  reply: ProviderReply,
): Promise<void> {
  draft.providerRequestId = reply.requestId;
  if (reply.requestId !== null) headers['x-gateway-provider-request-id'] = reply.requestId;
  const relay = { provider, response, headers, draft, now };
  switch (reply.kind) {
    case 'refusal':
      throw reply.error;
    case 'answer':
      return relayAnswer(relay, await reply.read());
    case 'stream':
      return relayStream(relay, reply);
    default:
      return reply satisfies never;
  }
}

// The header that names what was left out of a request. Some of the names are the caller's own, of any characters.

const mostNames = 40;
const longestName = 64;

export function ignoredParametersHeader(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(legal);
  return (names.length > mostNames ? [...shown, '...'] : shown).join(', ');
}

/** As it is, if it is a usual name. Commas part names, and what is not of ASCII is no header. */
function legal(name: string): string {
  return encodeURIComponent(name.toWellFormed()).slice(0, longestName);
}
