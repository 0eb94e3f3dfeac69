/**
 * Parses and validates the messages of a request in OpenAI's format, and groups them into turns.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { type ContentPart, readCacheControl, readContent, type TextPart } from './content-parts.ts';
import { isAbsent, readOptionalList, readText, unsupportedParameterError } from './parameters.ts';

type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A message of the role `system` or `developer`. */
interface SystemMessage {
  role: 'system';
  parts: TextPart[];
}

interface UserMessage {
  role: 'user';
  parts: ContentPart[];
}

export interface AssistantMessage {
  role: 'assistant';
  parts: TextPart[];
  toolCalls: ToolCall[];
  /** The caller's message, which may contain reasoning that providers require to be sent back. */
  source: JsonObject;
  param: string;
}

export interface ToolMessage {
  role: 'tool';
  toolCallId: string;
  parts: ContentPart[];
  cacheControl: JsonObject | null;
  param: string;
}

export interface ToolCall {
  id: string;
  name: string;
  /** Parsed with exact numbers, which keep their digits when serialized; empty if the text is not a JSON object. */
  arguments: JsonObject;
  hasInvalidArguments: boolean;
  /** The cache breakpoint of the call or, for the last call, of the message. */
  cacheControl: JsonObject | null;
  source: JsonObject;
  param: string;
}

export function readMessages(messages: unknown): Message[] {
  return readOptionalList(messages, 'messages').map((message, index) =>
    readMessage(message, `messages[${index}]`),
  );
}

function readMessage(message: unknown, param: string): Message {
  if (!isJsonObject(message)) throw invalidRequestError(param, `${param} must be an object with a role`);
  const cacheControl = readCacheControl(message, param);
  const readParts = (breakpoint: JsonObject | null) =>
    readContent(message.content, `${param}.content`, breakpoint);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: onlyText(readParts(cacheControl)) };
    case 'user':
      return { role: 'user', parts: readParts(cacheControl) };
    case 'assistant':
      return readAssistantMessage(message, { param, cacheControl });
    case 'tool': {
      const toolCallId = readText(message.tool_call_id, `${param}.tool_call_id`);
      return { role: 'tool', toolCallId, parts: readParts(null), cacheControl, param };
    }
    default:
      throw invalidRequestError(
        `${param}.role`,
        `${param}.role must be system, developer, user, assistant or tool`,
      );
  }
}

function onlyText(parts: ContentPart[]): TextPart[] {
  return parts.map((part) => {
    if (part.type !== 'text')
      throw invalidRequestError(part.param, `${part.param} must be text in a message of this role`);
    return part;
  });
}

function readAssistantMessage(
  message: JsonObject,
  { param, cacheControl }: { param: string; cacheControl: JsonObject | null },
): AssistantMessage {
  for (const field of ['function_call', 'audio']) {
    if (isAbsent(message[field])) continue;
    throw unsupportedParameterError(
      `${param}.${field}`,
      `${param}.${field} is not supported by this provider`,
    );
  }
  const toolCalls = readOptionalList(message.tool_calls, `${param}.tool_calls`).map((call, index) =>
    readToolCall(call, `${param}.tool_calls[${index}]`),
  );
  // The tool calls follow the text, so the last one is the end of the message.
  const lastCall = toolCalls.at(-1);
  if (lastCall !== undefined) lastCall.cacheControl ??= cacheControl;
  const breakpoint = lastCall === undefined ? cacheControl : null;
  const content = readContent(message.content, `${param}.content`, breakpoint);
  const parts = content.length > 0 ? content : readContent(message.refusal, `${param}.refusal`, breakpoint);
  return { role: 'assistant', parts: onlyText(parts), toolCalls, source: message, param };
}

function readToolCall(call: unknown, param: string): ToolCall {
  if (!isJsonObject(call) || !isJsonObject(call.function)) {
    throw invalidRequestError(param, `${param} must be a call of type function`);
  }
  const text = readText(call.function.arguments ?? '', `${param}.function.arguments`);
  const callArguments = parseExactJsonObject(text);
  return {
    id: readText(call.id, `${param}.id`),
    name: readText(call.function.name, `${param}.function.name`),
    // Models sometimes write invalid arguments, which would make every later request of the conversation fail.
    arguments: callArguments ?? {},
    hasInvalidArguments: callArguments === null && text.trim() !== '',
    cacheControl: readCacheControl(call, param),
    source: call,
    param,
  };
}

/** Messages in the structure of the providers' native APIs: system messages apart from alternating turns. */
export interface Conversation {
  system: TextPart[];
  turns: Turn[];
}

export type Turn = UserTurn | AssistantTurn;

/** The messages between two assistant turns. Tool results come first, as providers require. */
export interface UserTurn {
  role: 'user';
  toolResults: ToolMessage[];
  parts: ContentPart[];
}

export interface AssistantTurn {
  role: 'assistant';
  messages: AssistantMessage[];
}

export function assistantMessages(turns: readonly Turn[]): AssistantMessage[] {
  return turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
}

export function calledToolNames(turns: readonly Turn[]): string[] {
  return [...new Set(assistantMessages(turns).flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)))];
}

export function toConversation(messages: readonly Message[]): Conversation {
  const conversation: Conversation = { system: [], turns: [] };
  for (const message of messages) {
    if (message.role === 'system') append(conversation.system, message.parts);
    else if (message.role === 'assistant') assistantTurn(conversation).messages.push(message);
    else if (message.role === 'tool') userTurn(conversation).toolResults.push(message);
    else append(userTurn(conversation).parts, message.parts);
  }
  return conversation;
}

/** Appends one by one, since a message can have more parts than a call can have arguments (about 100,000). */
function append<Part>(parts: Part[], newParts: readonly Part[]): void {
  for (const part of newParts) parts.push(part);
}

function userTurn({ turns }: Conversation): UserTurn {
  const last = turns.at(-1);
  if (last?.role === 'user') return last;
  const turn: UserTurn = { role: 'user', toolResults: [], parts: [] };
  turns.push(turn);
  return turn;
}

function assistantTurn({ turns }: Conversation): AssistantTurn {
  const last = turns.at(-1);
  if (last?.role === 'assistant') return last;
  const turn: AssistantTurn = { role: 'assistant', messages: [] };
  turns.push(turn);
  return turn;
}

/** Replaces the cache breakpoints of a tool result and its parts with the last of them, set on the result itself. */
export function withSingleCacheBreakpoint({
  parts,
  cacheControl,
}: ToolMessage): Pick<ToolMessage, 'parts' | 'cacheControl'> {
  const breakpoints = [cacheControl, ...parts.map((part) => part.cacheControl)];
  return {
    parts: parts.map((part) => ({ ...part, cacheControl: null })),
    cacheControl: breakpoints.findLast((breakpoint) => breakpoint !== null) ?? null,
  };
}
