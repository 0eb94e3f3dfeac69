/** The interfaces between the operations, the providers and their protocols. */

import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import type { AwsClientOptions } from '#lambdas/platform/aws/access.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { PriceContext, PriceSettings, PricingGap } from '#lambdas/pricing/price-context.ts';
import type { BilledParts, TokenUsage, UnitKind, UsageWarning } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat/request.ts';
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

export type Prepare<Request extends CallerRequest = ChatRequest> = (
  call: ProviderCall<Request>,
) => Promise<PreparedRequest>;

/** A parsed request in the format of its operation. */
export interface CallerRequest {
  readonly stream: boolean;
}

export interface ProviderCall<Request extends CallerRequest = ChatRequest> extends CallContext {
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
  /** Set once the provider has refused `stream_options`. */
  omitStreamOptions?: boolean;
}

export interface PreparedRequest extends TranslatedRequest {
  call: ProviderCall<CallerRequest>;
  protocol: Protocol<CallerRequest>;
}

interface TranslatedRequest {
  outgoing: OutgoingRequest;
  /** Unsupported parameters that were left out because they do not change the meaning of the completion. */
  ignoredParameters: readonly string[];
  /** Set if the provider receives the caller's format, and responds in it. */
  isNative?: true;
  /** Reads the limit from the body that is sent. A function, since few requests need it. */
  outputLimit: () => OutputLimit | Promise<OutputLimit>;
}

/** Translates between an operation's format and the API of a provider. It is given the requests of this operation only. */
export interface Protocol<Request extends CallerRequest = ChatRequest> {
  /** Throws a `GatewayError` (400) that names an unsupported parameter. */
  translateRequest(call: ProviderCall<Request>): TranslatedRequest | Promise<TranslatedRequest>;
  /** Called when the provider accepts a request without `stream_options` after it has refused it with them. */
  rememberRefusedStreamOptions?(call: ProviderCall<Request>): void;
  requestIdHeaders: readonly string[];
  /** Called once the request is on its way, so that what reads the response is loaded while the provider works. */
  loadReaders(): Promise<ResponseReaders<Request>>;
}

export interface ResponseReaders<Request extends CallerRequest = ChatRequest> {
  readError(response: ErrorResponse, call: ProviderCall<Request>): GatewayError;
  /** For a response with a 2xx status. */
  createReader(call: ProviderCall<Request>, headers: ResponseHeaders): ResponseReader;
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

export async function prepareRequest<Request extends CallerRequest>(
  protocol: Protocol<Request>,
  call: ProviderCall<Request>,
): Promise<PreparedRequest> {
  return { ...(await protocol.translateRequest(call)), call, protocol };
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
  /** Updated with each chunk. */
  readonly facts: ReaderFacts;
}

/** An error that the provider states, in a failed response or within a successful one. */
export class StatedError extends GatewayError {}

/** The texts of a response are not redacted yet and may contain the credential. */
export type ProviderResponse = FailedResponse | SuccessfulResponse;

export interface FailedResponse {
  kind: 'failure';
  requestId: string | null;
  /** `null` when the provider did not respond. */
  status: number | null;
  error: GatewayError;
  /** The response's body; `null` when the provider did not respond. */
  body: Buffer | null;
  /** True when the provider may be processing the request although it did not respond, and charge for it. */
  mayBeCharged: boolean;
  retryAfterMs: number | null;
}

/** A response with a 2xx status, which may still turn out to be an error. */
export interface SuccessfulResponse {
  kind: 'success';
  requestId: string | null;
  /** Like `HttpResponse.read`; the chunks are the input of `reader`. */
  read(consume: ChunkConsumer): Promise<void>;
  reader: ResponseReader;
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
  /** Signs that `usage` cannot be right, in the order of `usageWarnings`. */
  usageWarnings: readonly UsageWarning[];
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
  usageWarnings: [],
  pricingGaps: [],
  reportedCostUsd: null,
};

export const noFacts: ResponseFacts = { ...noBilling, responseModel: null, finishReason: null };

export interface ReaderFacts extends ResponseFacts {
  /** Set when the provider has begun to answer: with the first event for the caller that is neither a comment nor an error. */
  started: boolean;
  /** Set when nothing of the answer is missing: every choice has a finish reason, or the provider has marked the end. */
  finished: boolean;
  /** Set when content follows a finish reason, which some servers send in each chunk. The relay resets it. */
  continued: boolean;
  /** Set when everything has been returned for the caller; what the provider sends after it is ignored. */
  ended: boolean;
  /** An error that the response contains; nothing after it is forwarded. Its usage is logged. */
  error: GatewayError | null;
  /** The charged units that the stream has shown so far. They are a part of `usage` once there is one. */
  unitCounts?: UnitCounts;
  /** The size of the text in UTF-8, if the reader assembles a completion from a stream. Others leave it to the relay. */
  textBytes?: number;
}

/** The facts without the state of the reader. */
export function responseFactsOf(facts: ReaderFacts): ResponseFacts {
  const { started, ended, finished, continued, error, unitCounts, textBytes, ...known } = facts;
  return known;
}

export function startReaderFacts(): ReaderFacts {
  return { ...noFacts, started: false, finished: false, continued: false, ended: false, error: null };
}

/** Called once for each provider that uses the protocol. */
export type CreateProtocol<Request extends CallerRequest = ChatRequest> = (
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
