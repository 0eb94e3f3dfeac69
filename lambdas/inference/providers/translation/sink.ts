/**
 * The sink into which a protocol writes its provider's response, piece by piece. One implementation builds a completion
 * and one a stream, so that a protocol translates each piece in one place.
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import type { ProviderCall } from '../provider.ts';

export interface CompletionSink {
  /** Only effective before the first piece, since all chunks of a stream have the same id. */
  identify(identity: { id?: string | null; model?: string | null }): void;
  choice(index: number): ChoiceSink;
  /** The last call counts. */
  usage(usage: TokenUsage): void;
  /** The cost, where it does not follow from the usage. */
  reportedCost(usd: Usd): void;
  /** The response failed or holds an error: there is no completion, whatever came before. The first call counts. */
  fail(error: GatewayError): void;
}

/** Empty pieces are ignored. */
export interface ChoiceSink {
  /** The provider has begun to respond, though perhaps not with text. */
  begin(): void;
  text(piece: string): void;
  reasoning(piece: string): void;
  refusal(piece: string): void;
  /** Begins a call; one without an id gets a placeholder. The returned sink takes the arguments, as pieces of JSON. */
  toolCall(call: { id?: string | null; name: string; extra?: JsonObject }): ToolCallSink;
  /** Fields outside OpenAI's format for the message (or delta); lists of the same name are concatenated. */
  extra(fields: JsonObject): void;
  /** The first call counts; `shownFinishReason` says what the caller sees. */
  finish(reason: FinishReason): void;
}

export interface ToolCallSink {
  arguments(piece: string): void;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface CompletionIdentity {
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
}

/** The identity of a response until the provider sends its own. */
export function placeholderIdentity({ requestId, receivedAtMs, model }: ProviderCall): CompletionIdentity {
  return { id: `chatcmpl-${requestId}`, created: Math.floor(receivedAtMs / 1000), model };
}

/** A completion that stopped normally has the reason `tool_calls` if and only if it has calls. */
export function shownFinishReason(reason: FinishReason, toolCalls: number): FinishReason {
  if (reason === 'stop' || reason === 'tool_calls') return toolCalls > 0 ? 'tool_calls' : 'stop';
  return reason;
}

/**
 * The arguments of a call without any: an empty object, which callers can parse. A call that was cut off gets none,
 * since an empty object would make it look complete.
 */
export function defaultArguments(shown: FinishReason): string {
  return shown === 'tool_calls' ? '{}' : '';
}

/**
 * Returns `call_<request>_<choice>_<number>` with only the random part of the request's id: should the conversation go
 * on at OpenAI, it refuses ids of more than 40 characters. https://github.com/Portkey-AI/gateway/issues/1062
 */
export function placeholderCallId({ requestId }: ProviderCall, choice: number, number: number): string {
  return `call_${requestId.replaceAll('-', '').slice(-24)}_${choice}_${number}`;
}
