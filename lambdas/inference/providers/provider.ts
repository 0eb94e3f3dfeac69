/** The interfaces between the chat function, the providers and their protocols. */

import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import type { AwsClientOptions } from '#lambdas/platform/aws/access.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { PriceContext } from '#lambdas/pricing/price-context.ts';
import type { PriceSettings } from '#lambdas/pricing/price-settings.ts';
import type { PricingGap } from '#lambdas/pricing/price-source.ts';
import type { BilledParts, TokenUsage, UnitKind } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat-request.ts';
import type { CatalogEntry } from './catalog.ts';
import type { ChunkConsumer, OutgoingRequest, ResponseHeaders } from './http/client.ts';

export interface Provider {
  readonly name: string;
  readonly credential: 'required' | 'optional';
  /** The operator action that adds a missing credential, for the error message. */
  readonly remedy: string;
  /** The host name of its endpoint; empty when the protocol derives it from the region. */
  readonly host: string;
  /** The AWS region of its endpoint; `null` for a provider outside of AWS. */
  readonly region: string | null;
  readonly settings: PriceSettings;
  readonly prepare: Prepare;
}

export type Prepare = (call: ProviderCall) => Promise<PreparedRequest>;

export interface ProviderCall {
  request: ChatRequest;
  /** The provider's name for the model. */
  model: string;
  apiKey: string | null;
  /** The caller's headers, with lower-case names. Only those on an allow-list may be forwarded. */
  callerHeaders: Readonly<Record<string, string | undefined>>;
  /** The gateway's request id, from which missing completion and tool call ids are derived. */
  requestId: string;
  receivedAtMs: number;
}

export interface PreparedRequest extends TranslatedRequest {
  call: ProviderCall;
  protocol: Protocol;
}

export interface TranslatedRequest {
  outgoing: OutgoingRequest;
  /** Unsupported parameters that were left out because they do not change the meaning of the completion. */
  ignoredParameters: readonly string[];
  /** Reads the limit from the body that is sent. A function, since few requests need it. */
  outputLimit: () => OutputLimit | Promise<OutputLimit>;
}

/** Translates between OpenAI's format and the API of a provider. */
export interface Protocol {
  /** Throws a `GatewayError` (400) that names an unsupported parameter. */
  translateRequest(call: ProviderCall): TranslatedRequest | Promise<TranslatedRequest>;
  requestIdHeaders: readonly string[];
  readError(response: ErrorResponse, call: ProviderCall): GatewayError;
  /** Throws a `GatewayError` when the body of a 2xx response contains no completion. */
  readCompletion(body: Buffer, call: ProviderCall, headers: ResponseHeaders): Completion;
  createStreamReader(call: ProviderCall, headers: ResponseHeaders): StreamReader;
}

export function createPrepare(load: () => Protocol | Promise<Protocol>): Prepare {
  let loading: Protocol | Promise<Protocol> | null = null;
  return async (call) => {
    loading ??= load();
    const protocol = await loading;
    const { outgoing, ignoredParameters, outputLimit } = await protocol.translateRequest(call);
    return { call, protocol, outgoing, ignoredParameters, outputLimit };
  };
}

export interface ErrorResponse {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
}

/** Translates a provider's stream into OpenAI's format, and collects the facts for the log on the way. */
export interface StreamReader {
  /** Returns the events for the caller that this chunk completes. */
  push(chunk: Buffer): Buffer;
  /** Returns the remaining events at the end of the provider's stream. */
  end(): Buffer;
  /** Updated with each chunk. */
  readonly facts: StreamFacts;
}

/** The texts of a response are not redacted yet and may contain the credential. */
export type ProviderResponse = FailedResponse | CompletionResponse | StreamingResponse;

export interface FailedResponse {
  kind: 'failure';
  requestId: string | null;
  /** `null` when the provider could not be reached. */
  status: number | null;
  error: GatewayError;
  retryAfterMs: number | null;
}

export interface CompletionResponse {
  kind: 'completion';
  requestId: string | null;
  /** Calls `onReceived` when the last byte has arrived, before the completion is translated. */
  read(onReceived?: () => void): Promise<Completion>;
}

export interface StreamingResponse {
  kind: 'stream';
  requestId: string | null;
  /** Like `HttpResponse.read`; the chunks are the input of `reader`. */
  read(consume: ChunkConsumer): Promise<void>;
  reader: StreamReader;
}

/** The facts about a response that the log entry records. */
export interface ResponseFacts extends BillingFacts {
  responseModel: string | null;
  /** The finish reason of the first choice that has one. */
  finishReason: string | null;
}

/** The facts that determine the cost. */
export interface BillingFacts extends Omit<PriceContext, 'region'> {
  usage: TokenUsage | null;
  /** The parts of `usage` that are billed separately; `null` when all of it is billed at one price. */
  billedParts: BilledParts | null;
  /** Charges that the response shows without their amount. */
  pricingGaps: readonly PricingGap[];
  /** The cost as the provider states it. */
  reportedCostUsd: Usd | null;
}

/** Counts of what is billed by unit instead of by token. */
export type UnitCounts = Pick<TokenUsage, UnitKind>;

export const noBilling: BillingFacts = {
  serviceTier: null,
  speed: null,
  inferenceGeo: null,
  usage: null,
  billedParts: null,
  pricingGaps: [],
  reportedCostUsd: null,
};

export const noFacts: ResponseFacts = { ...noBilling, responseModel: null, finishReason: null };

export interface Completion {
  /** In OpenAI's format. */
  body: Buffer;
  facts: ResponseFacts;
  /** When set, the response is an error that was charged: its usage is logged, and its body is not sent. */
  error?: GatewayError | null;
}

export interface StreamFacts extends ResponseFacts {
  /** Set by the first event with data, unless it is an error. */
  started: boolean;
  /** Set by `[DONE]`, or when every choice has a finish reason. */
  complete: boolean;
  /** Set when `[DONE]` has been returned for the caller; later events are ignored. */
  ended: boolean;
  /** An error event of the stream; nothing after it is forwarded. */
  error: GatewayError | null;
  /** The charged units that the stream has shown so far. They are a part of `usage` once there is one. */
  unitCounts?: UnitCounts;
}

export function startStreamFacts(): StreamFacts {
  return { ...noFacts, started: false, complete: false, ended: false, error: null };
}

/** Called once for each provider that uses the protocol. */
export type CreateProtocol = (options: ProtocolOptions) => Protocol;

export interface ProtocolOptions {
  /** The provider's name. */
  name: string;
  /** Without a trailing slash; empty when the protocol derives its endpoint. */
  baseUrl: string;
  /** The region of the endpoint, for a provider with regions; `null` for the function's region. */
  region: string | null;
  entry: CatalogEntry;
  /** The function's AWS identity, for a provider that the function's role can call. */
  aws: AwsClientOptions;
}
