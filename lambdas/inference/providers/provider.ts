/** What the chat function asks of a provider, and what each protocol's code does for it. */

import type { AwsCaller } from '#lambdas/platform/aws/access.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { TokenPrices } from '#lambdas/pricing/price.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { CatalogEntry } from './catalog.ts';
import type { ChunkConsumer, OutgoingRequest, ResponseHeaders } from './http/client.ts';

export interface Provider {
  readonly name: string;
  /** Whether a call without a credential can succeed. */
  readonly credential: 'required' | 'optional';
  /** What the operator can do where a credential is required and missing. */
  readonly remedy: string;
  /** The operator's own prices for every model of this provider. */
  readonly prices: TokenPrices | null;
  readonly prepare: Prepare;
}

/** Translates a request. Throws a `GatewayError` (400) that names what the provider cannot be asked for. */
export type Prepare = (call: ProviderCall) => Promise<PreparedRequest>;

export interface ProviderCall {
  request: ChatRequest;
  /** The provider's name of the model. */
  model: string;
  apiKey: string | null;
  /** The caller's headers in lower case. Only those on an allow-list may go on. */
  callerHeaders: Readonly<Record<string, string | undefined>>;
  /** The gateway's own id of the request: what has no id at the provider gets one made of it. */
  requestId: string;
  receivedAtMs: number;
}

/** A request ready to be sent, with the code that reads its response. */
export interface PreparedRequest extends TranslatedRequest {
  call: ProviderCall;
  protocol: Protocol;
}

export interface TranslatedRequest {
  outgoing: OutgoingRequest;
  /** Parameters that the provider has no place for and whose loss does not change what the response means. */
  ignoredParameters: readonly string[];
}

/** How a kind of provider is spoken to: one request, answered by a whole body or by a stream of events. */
export interface Protocol {
  /** Throws a `GatewayError` (400) that names what the provider cannot be asked for. */
  translateRequest(call: ProviderCall): TranslatedRequest | Promise<TranslatedRequest>;
  /** Those that may carry the provider's own id of the request, best first. */
  requestIdHeaders: readonly string[];
  /** Reads a response with a status outside 2xx. */
  readError(reply: ErrorResponse, call: ProviderCall): GatewayError;
  /** Reads a non-streaming response with a status of 2xx. Throws a `GatewayError` when it holds none. */
  readCompletion(body: Buffer, call: ProviderCall): Completion;
  /** Reads a streaming response with a status of 2xx. */
  createStreamReader(call: ProviderCall): StreamReader;
}

/** Loads the protocol for the first request. */
export function createPrepare(load: () => Protocol | Promise<Protocol>): Prepare {
  let loading: Protocol | Promise<Protocol> | null = null;
  return async (call) => {
    loading ??= load();
    const protocol = await loading;
    const { outgoing, ignoredParameters } = await protocol.translateRequest(call);
    return { call, protocol, outgoing, ignoredParameters };
  };
}

export interface ErrorResponse {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
}

/** Turns a provider's stream into OpenAI's, and reads what the log needs on the way. */
export interface StreamReader {
  /** The bytes for the caller that this chunk completes; empty while there are none. */
  push(chunk: Buffer): Buffer;
  /** The bytes for the caller that are left when the provider's stream has ended. */
  end(): Buffer;
  /** They grow while chunks are pushed. */
  readonly facts: StreamFacts;
}

/** What came back of a request. Texts of the provider's in it may still hold the credential. */
export type ProviderResponse = FailedResponse | CompletionResponse | StreamingResponse;

/** Nothing was completed: the provider answered with an error, or could not be reached. */
export interface FailedResponse {
  kind: 'refusal';
  /** The provider's own id of the request. */
  requestId: string | null;
  /** The HTTP status; `null` when there was no response. */
  status: number | null;
  error: GatewayError;
  /** After this time the provider wants to be asked again; `null` when it does not say so. */
  retryAfterMs: number | null;
}

export interface CompletionResponse {
  kind: 'completion';
  requestId: string | null;
  /** Throws a `GatewayError` when the provider did not send a completion after all. */
  read(): Promise<Completion>;
}

export interface StreamingResponse {
  kind: 'stream';
  requestId: string | null;
  /** Reads the provider's own bytes, which `reader` understands; as `HttpResponse.read`. */
  read(take: ChunkConsumer): Promise<void>;
  reader: StreamReader;
}

export interface ResponseFacts {
  /** The model that the provider says it served. */
  responseModel: string | null;
  usage: TokenUsage | null;
  /** What the provider itself says that the request cost. */
  reportedCostUsd: Usd | null;
  /** Of the first choice that says one. */
  finishReason: string | null;
}

export const noFacts: ResponseFacts = {
  responseModel: null,
  usage: null,
  reportedCostUsd: null,
  finishReason: null,
};

export interface Completion {
  /** The completion in OpenAI's format. */
  body: Buffer;
  facts: ResponseFacts;
  /** Makes it no completion after all, though the provider charges for it: its usage counts, and its body does not. */
  error?: GatewayError | null;
}

export interface StreamFacts extends ResponseFacts {
  /** An event with data that is no error has come, so the completion has begun. */
  started: boolean;
  /** The completion is whole: `[DONE]` has come, or a finish reason for each choice. */
  complete: boolean;
  /** `[DONE]` is on its way to the caller: nothing that comes after it matters. */
  ended: boolean;
  /** An error that came inside the stream; nothing after it is passed on. */
  error: GatewayError | null;
}

export function startStreamFacts(): StreamFacts {
  return { ...noFacts, started: false, complete: false, ended: false, error: null };
}

/** Called once for each provider that speaks the protocol. */
export type CreateProtocol = (options: ProtocolOptions) => Protocol;

export interface ProtocolOptions {
  /** The provider's. */
  name: string;
  /** Without a trailing slash; empty where the protocol finds its endpoint by itself. */
  baseUrl: string;
  /** The region of the endpoint, for a provider that has regions; `null` for the function's own. */
  region: string | null;
  entry: CatalogEntry;
  /** The function itself, for a provider that its role can call. */
  aws: AwsCaller;
}
