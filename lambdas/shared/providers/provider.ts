/** What the chat function asks of a provider, whatever protocol stands behind it. */
import type { ChatRequest } from '../domain/chat-request.ts';
import type { GatewayError } from '../domain/gateway-error.ts';
import type { TokenPrices } from '../domain/provider-settings.ts';
import type { TokenUsage } from '../domain/usage.ts';
import type { OutgoingRequest, ReplyHeaders } from './http-transport.ts';

export interface Provider {
  readonly name: string;
  /** Whether a call without a credential can succeed. */
  readonly credential: 'required' | 'optional';
  /** The operator's own prices for every model of this provider. */
  readonly prices: TokenPrices | null;

  buildRequest(call: ProviderCall): OutgoingRequest;
  /** The provider's own id of the request. */
  requestIdOf(headers: ReplyHeaders): string | null;
  /** Reads a whole answer with a status of 2xx. Throws a `GatewayError` when it holds none. */
  readAnswer(body: Buffer): Answer;
  /** Reads a streamed answer with a status of 2xx. */
  createStreamReader(request: ChatRequest): StreamReader;
}

export interface ProviderCall {
  request: ChatRequest;
  /** The provider's name of the model. */
  model: string;
  apiKey: string | null;
  /** The caller's headers in lower case. Only those on an allow-list may go on. */
  callerHeaders: Readonly<Record<string, string | undefined>>;
}

export interface AnswerFacts {
  /** The model that the provider says it served. */
  responseModel: string | null;
  usage: TokenUsage | null;
  /** Of the first choice that says one. */
  finishReason: string | null;
}

export interface Answer {
  /** The answer in OpenAI's format. */
  body: Buffer;
  facts: AnswerFacts;
}

/** Turns a provider's stream into OpenAI's, and reads what the log needs on the way. */
export interface StreamReader {
  /** The bytes for the caller that this chunk completes; empty while there are none. */
  push(chunk: Buffer): Buffer;
  /** The bytes for the caller that are left when the provider's stream has ended. */
  end(): Buffer;
  readonly facts: StreamFacts;
}

export interface StreamFacts extends AnswerFacts {
  /** An event with data that is no error has come, so the answer has begun. */
  started: boolean;
  /** The answer is whole: `[DONE]` has come, or a finish reason for each choice. */
  complete: boolean;
  /** An error that came inside the stream; nothing after it is passed on. */
  problem: GatewayError | null;
}
