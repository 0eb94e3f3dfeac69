/**
 * The sink to which a protocol incrementally writes its provider's response. One implementation builds a completion and
 * one a stream, so that a protocol needs only one translation of each element.
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Payload } from './conversation.ts';
import type { BillingFacts, ReaderFacts } from './facts.ts';

export interface CompletionSink {
  /** Does not change the identity of a stream after its first chunk, since all chunks have the same id. */
  identify(identity: { id?: string | null; model?: string | null; created?: number | null }): void;
  choice(index: number): ChoiceSink;
  /** Adds fields to the completion, or to the chunks that follow. */
  fields(fields: JsonObject): void;
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
  audio(delta: AudioDelta): void;
  media(delta: MediaDelta): void;
  /** Ends the reasoning or the text just written, with the opaque data that its provider requires back. */
  signature(payload: Payload | null): void;
  /** States that the provider has sent content here for which the neutral form has no place, such as a search result. */
  omit(): void;
  /**
   * A missing id, or one that another call of the choice has, is replaced by a placeholder. The returned sink receives the
   * rest of the name, if it may continue, and the arguments as partial JSON.
   */
  toolCall(call: NewToolCall): ToolCallSink;
  /** The stop sequence of the request that ended the output. */
  stopSequence(text: string): void;
  /** Adds fields of a provider with OpenAI's format to the message or delta; arrays of the same name are concatenated. */
  extra(fields: JsonObject): void;
  /** Adds to the lists of log probabilities. */
  logprobs(lists: JsonObject): void;
  /** Expects the provider's word. The first call takes precedence. The caller receives the result of `resolveFinish`. */
  finish(word: string): void;
}

/** Each `data` is base64 of its own. A missing id is replaced by a placeholder. https://platform.openai.com/docs/guides/audio */
export interface AudioDelta extends JsonObject {
  id?: string;
  data?: string;
  transcript?: string;
  expires_at?: number;
}

/** An image, a video or a file, in base64. */
export interface MediaDelta {
  mediaType: string;
  data: string;
}

interface NewToolCall {
  id?: string | null;
  name: string;
  /** The group that the caller gave the tool; none by default. */
  namespace?: string | null;
  /** False by default. */
  mayContinueName?: boolean;
  /** True for a call of a custom tool, whose arguments are text of any form. */
  isCustom?: boolean;
  /** The opaque data that the provider requires back with the call. */
  payload?: Payload | null;
  /** Fields of a provider with OpenAI's format. */
  extra?: JsonObject;
}

export interface ToolCallSink {
  name(delta: string): void;
  arguments(delta: string): void;
}

/** A sink whose output is the response to the caller. */
export interface CompletionWriter extends CompletionSink {
  /** The provider is still working: a comment in a stream, nothing in a completion. */
  ping(): void;
  /**
   * Called when the provider's response has ended. Ends the caller's response if every choice is finished. Finish reasons
   * are not written earlier, since a provider may send content after them.
   */
  end(): void;
  /** Like `end`, if the provider has marked its response as whole: choices without a finish reason are finished too. */
  endWhole(): void;
  /** Returns the bytes written since the last call. */
  take(): Buffer;
  readonly facts: ReaderFacts;
}
