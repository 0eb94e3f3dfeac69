/**
 * The sink to which a protocol incrementally writes its provider's response. One implementation builds a completion and
 * one a stream, so that a protocol needs only one translation of each element.
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { BillingFacts, ProviderCall } from '../provider.ts';

export interface CompletionSink {
  /** Does not change the identity of a stream after its first chunk, since all chunks have the same id. */
  identify(identity: { id?: string | null; model?: string | null }): void;
  choice(index: number): ChoiceSink;
  /** The last value of each property takes precedence. */
  billing(billing: Partial<BillingFacts>): void;
  /** Turns the response into an error, regardless of earlier output. The first call takes precedence. */
  fail(error: GatewayError): void;
}

/** Ignores empty deltas. */
export interface ChoiceSink {
  /** Called when the provider has started to respond, perhaps not with text. */
  begin(): void;
  text(delta: string): void;
  reasoning(delta: string): void;
  refusal(delta: string): void;
  /** A missing id is replaced by a placeholder. The returned sink receives the arguments as partial JSON. */
  toolCall(call: { id?: string | null; name: string; extra?: JsonObject }): ToolCallSink;
  /** Adds fields outside OpenAI's format to the message or delta; arrays of the same name are concatenated. */
  extra(fields: JsonObject): void;
  /** The first call takes precedence. The caller receives the result of `resolveFinishReason`. */
  finish(reason: FinishReason): void;
}

export interface ToolCallSink {
  arguments(delta: string): void;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface CompletionIdentity {
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
}

export function placeholderIdentity({ requestId, receivedAtMs, model }: ProviderCall): CompletionIdentity {
  return { id: `chatcmpl-${requestId}`, created: Math.floor(receivedAtMs / 1000), model };
}

/** Makes a normal finish reason consistent: `tool_calls` if and only if there are tool calls, otherwise `stop`. */
export function resolveFinishReason(reason: FinishReason, toolCalls: number): FinishReason {
  if (reason === 'stop' || reason === 'tool_calls') return toolCalls > 0 ? 'tool_calls' : 'stop';
  return reason;
}

/**
 * Returns the arguments of a tool call without any: an empty object, which callers can parse. A truncated call gets an
 * empty string, since an empty object would make it look complete.
 */
export function defaultArguments(finishReason: FinishReason): string {
  return finishReason === 'tool_calls' ? '{}' : '';
}

/**
 * Returns `call_<request>_<choice>_<call>` with only the random part of the request id: if the conversation continues
 * at OpenAI, ids of more than 40 characters are rejected. https://github.com/Portkey-AI/gateway/issues/1062
 */
export function placeholderCallId(
  { requestId }: ProviderCall,
  choiceIndex: number,
  callIndex: number,
): string {
  return `call_${requestId.replaceAll('-', '').slice(-24)}_${choiceIndex}_${callIndex}`;
}
