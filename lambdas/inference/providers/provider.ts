/** The interfaces between the operations, the providers and their protocols. */

import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import type { AwsClientOptions } from '#lambdas/platform/aws/access.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { PriceSettings } from '#lambdas/pricing/price-context.ts';
import type { ReaderFacts } from '../completion/facts.ts';
import type { CompletionRequest } from '../completion/request.ts';
import type { CompletionWriter } from '../completion/sink.ts';
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
  readonly api: ProviderApi;
}

export type Prepare<Request extends CallerRequest = CompletionCall> = (
  call: ProviderCall<Request>,
) => Promise<PreparedRequest>;

/** A parsed request in the format of its operation. */
export interface CallerRequest {
  readonly stream: boolean;
}

export interface ProviderCall<Request extends CallerRequest = CompletionCall> extends CallContext {
  request: Request;
}

/** A call of a provider without the caller's request. */
export interface CallContext {
  /** The name of the provider. */
  provider: string;
  /** The provider's name for the model. */
  model: string;
  apiKey: string | null;
  /** The caller's headers, with lower-case names. Only those on an allow-list may be forwarded. */
  callerHeaders: Readonly<Record<string, string | undefined>>;
  /** The gateway's request id, from which missing completion and tool call ids are derived. */
  requestId: string;
  receivedAtMs: number;
  now(): Date;
  /** The fields that the provider has refused; none by default. */
  omitted?: readonly OptionalField[];
}

/**
 * Fields that a request can do without: the gateway's own, and those that a caller with another format does not know.
 * `reasoning` stands for a model that must be told not to reason.
 */
export type OptionalField =
  | 'stream_options'
  | 'reasoning_effort'
  | 'reasoning'
  | 'reasoning_summary'
  | 'encrypted_reasoning';

/** A request for a completion, in the format of its caller, whose code is loaded on first use. */
export interface CompletionCall extends CallerRequest {
  readonly format: CallerFormat;
  /** Reads the whole request once. Throws a `GatewayError` (400) that names the invalid field in the caller's format. */
  readCompletion(): Promise<CompletionRequest>;
  loadWriter(): Promise<CreateWriter>;
}

/** The API in whose format a request and its response are. */
type CallerFormat = 'chat.completions' | 'messages' | 'responses';

/** The writer of what the caller asked for, a completion or a stream, in the caller's format. */
export type CreateWriter = (call: ProviderCall, facts: ReaderFacts) => CompletionWriter;

export interface PreparedRequest extends TranslatedRequest {
  call: ProviderCall<CallerRequest>;
  protocol: CallProtocol;
  /** Prepares the same request with another credential, or without fields that the provider has refused. */
  prepareAgain(changes: Partial<Pick<CallContext, 'apiKey' | 'omitted'>>): Promise<PreparedRequest>;
}

/** The protocol of one call. */
export interface CallProtocol extends Pick<Protocol, 'requestIdHeaders' | 'relayedHeaders'> {
  rememberRefusals(): void;
  loadReaders(): Promise<ResponseReaders>;
}

interface TranslatedRequest {
  outgoing: OutgoingRequest;
  /** Unsupported parameters that were left out because they do not change the meaning of the completion. */
  ignoredParameters: readonly string[];
  /** Reads the limit from the body that is sent. A function, since few requests need it. */
  outputLimit: () => OutputLimit | Promise<OutputLimit>;
}

/** Translates requests to the API of a provider, and its responses to the format of the caller. */
export interface Protocol<Request extends CallerRequest = CompletionCall> {
  /** Throws a `GatewayError` (400) that names an unsupported parameter. */
  translateRequest(call: ProviderCall<Request>): TranslatedRequest | Promise<TranslatedRequest>;
  /** Called when the provider accepts a request without the fields that it has refused. */
  rememberRefusals?(call: ProviderCall<Request>): void;
  requestIdHeaders: readonly string[];
  /** The names of the response headers that are passed on to the caller; none by default. */
  relayedHeaders?: RegExp;
  /** Called once the request is on its way, so that what reads the response is loaded while the provider works. */
  loadReaders(call: ProviderCall<Request>): Promise<ResponseReaders>;
}

/** The readers of the response to one call. */
export interface ResponseReaders {
  readError(response: ErrorResponse): GatewayError;
  /** For a response with a 2xx status. */
  createReader(headers: ResponseHeaders): ResponseReader;
}

export function createPrepare<Request extends CallerRequest>(
  load: () => Protocol<Request> | Promise<Protocol<Request>>,
): Prepare<Request> {
  let loading: Protocol<Request> | Promise<Protocol<Request>> | null = null;
  return async (call) => {
    loading ??= load();
    return prepareRequest(await loading, call);
  };
}

async function prepareRequest<Request extends CallerRequest>(
  protocol: Protocol<Request>,
  call: ProviderCall<Request>,
): Promise<PreparedRequest> {
  const { requestIdHeaders, relayedHeaders } = protocol;
  return {
    ...(await protocol.translateRequest(call)),
    call,
    protocol: {
      requestIdHeaders,
      ...(relayedHeaders && { relayedHeaders }),
      rememberRefusals: () => protocol.rememberRefusals?.(call),
      loadReaders: lazy(() => protocol.loadReaders(call)),
    },
    prepareAgain: (changes) => prepareRequest(protocol, { ...call, ...changes }),
  };
}

export interface ErrorResponse {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
}

/**
 * Translates a response into the format of its operation, and collects the facts for the log on the way. Returns what the
 * caller asked for, a stream or a single body, in whichever of the two forms the provider responds.
 */
export interface ResponseReader {
  /** Returns the bytes for the caller that this chunk completes: whole events of a stream, and nothing of a single body. */
  push(chunk: Buffer): Buffer;
  /** Returns the remaining bytes at the end of the provider's response. */
  end(): Buffer;
  /**
   * Loads code that the bytes so far require: until then, the reader keeps them. Called after each chunk, and with `isEnd`
   * before `end`. Returns `undefined` if nothing is missing, as for almost all responses.
   */
  load?(isEnd: boolean): Promise<void> | undefined;
  /** Updated with each chunk. */
  readonly facts: ReaderFacts;
}

/** The texts of a response are not redacted yet and may contain the credential. */
export type ProviderResponse = FailedResponse | SuccessfulResponse;

export interface FailedResponse {
  kind: 'failure';
  requestId: string | null;
  /** `null` when the provider did not respond. */
  status: number | null;
  error: GatewayError;
  /** The provider's headers that `Protocol.relayedHeaders` names, without the credential. */
  callerHeaders: Readonly<Record<string, string>>;
  /** True when the provider may be processing the request although it did not respond, and charge for it. */
  mayBeCharged: boolean;
  retryAfterMs: number | null;
}

/** A response with a 2xx status, which may still turn out to be an error. */
export interface SuccessfulResponse {
  kind: 'success';
  requestId: string | null;
  callerHeaders: Readonly<Record<string, string>>;
  /** Like `HttpResponse.read`; the chunks are the input of `reader`. */
  read(consume: ChunkConsumer): Promise<void>;
  reader: ResponseReader;
}

/** Called once for each provider that uses the protocol. */
export type CreateProtocol<Request extends CallerRequest = CompletionCall> = (
  options: ProtocolOptions,
) => Protocol<Request>;

export interface ProtocolOptions extends ProviderApi {
  /** The path of the operation, which follows the base URL; `null` when the protocol derives it from the model. */
  path: string | null;
}

/** Everything that the protocols of a provider need to reach it. */
interface ProviderApi {
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
