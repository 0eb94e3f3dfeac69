/**
 * Where a protocol puts what its provider said, piece by piece. There is one for whole answers and one for streams, so
 * that a protocol says once what becomes of each piece.
 */
import type { JsonObject } from '../../domain/json.ts';
import type { TokenUsage } from '../../domain/usage.ts';
import type { ProviderCall } from '../provider.ts';

export interface CompletionSink {
  /** What the provider says of its answer. Before the first piece: all chunks of a stream have the same id. */
  identify(said: { id?: string | null; model?: string | null }): void;
  choice(index: number): ChoiceSink;
  /** The last word counts. */
  usage(usage: TokenUsage): void;
}

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
  /** Once; `stop` after a tool call is `tool_calls`. */
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

/** Unique, since the request's id is: `call_<request>_<choice>_<number>`. */
export function madeUpCallId({ requestId }: ProviderCall, choice: number, number: number): string {
  return `call_${requestId.replaceAll('-', '')}_${choice}_${number}`;
}
