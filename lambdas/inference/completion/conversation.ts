/** The messages of a request: instructions at the front, and turns whose parts are in order. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ContentPart, TextPart } from './content.ts';
import type { ProviderFormat, ToolName } from './tools.ts';

export interface Conversation<T extends Turn = Turn> {
  system: TextPart[];
  turns: T[];
}

export type Turn = DialogTurn | SystemTurn;

/** The turns that all providers know. */
export type DialogTurn = UserTurn | AssistantTurn;

/** Instructions that apply from here on. */
export interface SystemTurn {
  role: 'system';
  parts: TextPart[];
}

/** The messages between two assistant turns. Tool results come first, as providers require. */
export interface UserTurn {
  role: 'user';
  toolResults: ToolResult[];
  parts: ContentPart[];
}

export interface AssistantTurn {
  role: 'assistant';
  messages: AssistantMessage[];
}

export interface AssistantMessage {
  role: 'assistant';
  parts: AssistantPart[];
  /** True if the caller sends images back that the model generated, which no native API accepts. */
  hasImages: boolean;
}

export type AssistantPart = AssistantText | ReasoningPart | AnyCall;

export interface AssistantText extends TextPart {
  payload: Payload | null;
}

/** The text is empty if the provider shows none. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  payload: Payload | null;
}

/** Opaque data that a provider requires back with the part that it belongs to, and that no other provider accepts. */
export interface Payload {
  /** The API that made it; that of Anthropic also for Claude on Bedrock. */
  format: ProviderFormat;
  /** A signature of the part, or content that only the provider can read: reasoning that it withholds or encrypts. */
  kind: 'signature' | 'redacted' | 'encrypted';
  data: string;
}

export interface ToolResult {
  role: 'tool';
  toolCallId: string;
  parts: ContentPart[];
  isError: boolean;
  cacheControl: JsonObject | null;
  /** The path of `toolCallId`. */
  param: string;
}

type AnyCall = ToolCall | CustomCall;

interface CommonCall extends ToolName {
  id: string;
  /** The cache breakpoint of the call or, for the last call, of the message. */
  cacheControl: JsonObject | null;
  payload: Payload | null;
  param: string;
}

export interface ToolCall extends CommonCall {
  type: 'call';
  /** Parsed with exact numbers, which keep their digits when serialized; empty if the text is not a JSON object. */
  arguments: JsonObject;
  hasInvalidArguments: boolean;
}

/** A call of a custom tool. */
export interface CustomCall extends CommonCall {
  type: 'custom_call';
  input: string;
}

export function assistantMessages(turns: readonly Turn[]): AssistantMessage[] {
  return turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
}

export function isCall(part: AssistantPart): part is AnyCall {
  return part.type === 'call' || part.type === 'custom_call';
}

export function callsIn(messages: readonly AssistantMessage[]): AnyCall[] {
  return messages.flatMap(({ parts }) => parts.filter(isCall));
}

export function calledTools(turns: readonly Turn[]): ToolName[] {
  return callsIn(assistantMessages(turns));
}

/** Replaces the cache breakpoints of a tool result and its parts with the last of them, set on the result itself. */
export function withSingleCacheBreakpoint({
  parts,
  cacheControl,
}: ToolResult): Pick<ToolResult, 'parts' | 'cacheControl'> {
  const breakpoints = [cacheControl, ...parts.map((part) => part.cacheControl)];
  return {
    parts: parts.map((part) => ({ ...part, cacheControl: null })),
    cacheControl: breakpoints.findLast((breakpoint) => breakpoint !== null) ?? null,
  };
}
