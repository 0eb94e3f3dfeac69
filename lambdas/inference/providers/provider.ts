/** What the chat function asks of a provider, whatever protocol stands behind it. */

import type { AwsCaller } from '#lambdas/platform/aws/access.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { TokenPrices } from '#lambdas/pricing/price.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import type { ChatRequest } from '../chat/request.ts';
import type { CatalogEntry } from './catalog.ts';
import type { HttpTransport, TakePiece } from './http/client.ts';
import type { DeadlineWatch } from './http/deadlines.ts';
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

export interface PreparedRequest {
  /** Parameters that the provider has no place for and whose loss leaves the answer's meaning as it is. */
  ignoredParameters: readonly string[];
  /** Sends it, once. Throws a `GatewayError` when the provider cannot be reached in time. */
  send(connection: Connection): Promise<ProviderReply>;
}

export interface Connection {
  transport: HttpTransport;
  watch: DeadlineWatch;
  /** The largest answer that is read as a whole. */
  answerBytes: number;
  /** How long a provider may keep its connection once its stream has said that it is over. */
  lingerMs: number;
}

export type ProviderReply = {
  /** The provider's own id of the request. */
  requestId: string | null;
} & (
  | Refusal
  /** `read` throws a `GatewayError` when the provider did not send an answer after all. */
  | { kind: 'answer'; read(): Promise<Answer> }
  /**
   * Pieces of `read` are in OpenAI's format, and may be empty; the facts grow while they come. What the reader throws
   * ends the request, and is what it rejects with.
   */
  | { kind: 'stream'; read(take: TakePiece): Promise<void>; facts: StreamFacts }
);

export interface Refusal {
  kind: 'refusal';
  error: GatewayError;
  /** After this time the provider may be sent the same request; `null` when it does not say so. */
  retryAfterMs: number | null;
}

export interface AnswerFacts {
  /** The model that the provider says it served. */
  responseModel: string | null;
  usage: TokenUsage | null;
  /** What the provider itself says that the request cost. */
  statedCostUsd: Usd | null;
  /** Of the first choice that says one. */
  finishReason: string | null;
}

export const noFacts: AnswerFacts = {
  responseModel: null,
  usage: null,
  statedCostUsd: null,
  finishReason: null,
};

export interface Answer {
  /** The answer in OpenAI's format. */
  body: Buffer;
  facts: AnswerFacts;
  /** What makes it no answer after all, though the provider charges for it: its usage counts, and its body does not. */
  problem?: GatewayError | null;
}

export interface StreamFacts extends AnswerFacts {
  /** An event with data that is no error has come, so the answer has begun. */
  started: boolean;
  /** The answer is whole: `[DONE]` has come, or a finish reason for each choice. */
  complete: boolean;
  /** `[DONE]` is on its way to the caller: nothing that comes after it matters. */
  ended: boolean;
  /** An error that came inside the stream; nothing after it is passed on. */
  problem: GatewayError | null;
}

export function startStreamFacts(): StreamFacts {
  return { ...noFacts, started: false, complete: false, ended: false, problem: null };
}

// What each protocol's code is made from, and what it makes.

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

export type CreateProtocol = (options: ProtocolOptions) => Prepare;
