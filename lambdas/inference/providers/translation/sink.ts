/**
 * Where a protocol puts what its provider said, piece by piece. There is one for whole answers and one for streams, so
 * that a protocol says once what becomes of each piece.
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import type { ProviderCall } from '../provider.ts';

export interface CompletionSink {
  /** What the provider says of its answer. Counts before the first piece: all chunks of a stream have the same id. */
  identify(said: { id?: string | null; model?: string | null }): void;
  choice(index: number): ChoiceSink;
  /** The last word counts. */
  usage(usage: TokenUsage): void;
  /** What the provider charges, where that does not follow from the usage. */
  statedCost(usd: Usd): void;
  /** The provider gave up, or says an error in its answer: there is no answer, whatever came before. The first counts. */
  fail(problem: GatewayError): void;
}

/** Pieces that are empty are none. */
export interface ChoiceSink {
  /** The provider has begun to answer, if only in thought. */
  begin(): void;
  text(piece: string): void;
  reasoning(piece: string): void;
  refusal(piece: string): void;
  /** Begins a call; a provider without ids gets one made up. What is returned takes the arguments, as pieces of JSON. */
  toolCall(call: { id?: string | null; name: string; extra?: JsonObject }): ToolCallSink;
  /** Fields that OpenAI's format does not have, for the message (or delta); lists of the same name are joined. */
  extra(fields: JsonObject): void;
  /** The first one counts; `shownFinishReason` says what the caller sees. */
  finish(reason: FinishReason): void;
}

export interface ToolCallSink {
  arguments(piece: string): void;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface AnswerIdentity {
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
}

/** Until the provider says otherwise. */
export function standInIdentity({ requestId, receivedAtMs, model }: ProviderCall): AnswerIdentity {
  return { id: `chatcmpl-${requestId}`, created: Math.floor(receivedAtMs / 1000), model };
}

/** With calls, an answer that just stopped did so for them; without, it cannot have. */
export function shownFinishReason(reason: FinishReason, toolCalls: number): FinishReason {
  if (reason === 'stop' || reason === 'tool_calls') return toolCalls > 0 ? 'tool_calls' : 'stop';
  return reason;
}

/**
 * What a caller parses when a call came without arguments. A call that was cut off keeps what it has: an empty object
 * would make it look whole.
 */
export function argumentsWithoutPieces(shown: FinishReason): string {
  return shown === 'tool_calls' ? '{}' : '';
}

/**
 * `call_<request>_<choice>_<number>`. Of the request's id the random part is enough, and OpenAI refuses ids of more
 * than 40 characters, should the conversation go on there: https://github.com/Portkey-AI/gateway/issues/1062
 */
export function madeUpCallId({ requestId }: ProviderCall, choice: number, number: number): string {
  return `call_${requestId.replaceAll('-', '').slice(-24)}_${choice}_${number}`;
}
