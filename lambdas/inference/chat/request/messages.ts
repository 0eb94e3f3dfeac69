/**
 * Parses and validates the messages of a request in OpenAI's format, and groups them into turns.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
import {
  type ContentPart,
  onlyText,
  readCacheControl,
  type TextPart,
} from '#lambdas/inference/completion/content.ts';
import type {
  AssistantMessage,
  AssistantText,
  Conversation,
  CustomCall,
  ToolCall,
  ToolResult,
} from '#lambdas/inference/completion/conversation.ts';
import { appendAll, appendMessage } from '#lambdas/inference/completion/turns.ts';
import { readArguments } from '#lambdas/inference/openai-fields.ts';
import { invalidRequestError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isAbsent, readOptionalList, readText } from '#lambdas/platform/json/fields.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { readContent } from './content-parts.ts';
import { readReasoning, readThoughtSignature } from './reasoning.ts';

type Message = SystemMessage | UserMessage | AssistantMessage | ToolResult;

/** A message of the role `system` or `developer`. */
interface SystemMessage {
  role: 'system';
  parts: TextPart[];
}

interface UserMessage {
  role: 'user';
  parts: ContentPart[];
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
      const idParam = `${param}.tool_call_id`;
      const toolCallId = readText(message.tool_call_id, idParam);
      return {
        role: 'tool',
        toolCallId,
        parts: readParts(null),
        isError: false,
        cacheControl,
        param: idParam,
      };
    }
    default:
      throw invalidRequestError(
        `${param}.role`,
        `${param}.role must be system, developer, user, assistant or tool`,
      );
  }
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
  return {
    role: 'assistant',
    parts: [...readReasoning(message), ...withSignature(onlyText(parts), message), ...toolCalls],
    hasImages: Array.isArray(message.images) && message.images.length > 0,
  };
}

/** A message's signature belongs to its last part. */
function withSignature(parts: readonly TextPart[], message: JsonObject): AssistantText[] {
  const payload = readThoughtSignature(message);
  return parts.map((part, index) => ({ ...part, payload: index === parts.length - 1 ? payload : null }));
}

function readToolCall(call: unknown, param: string): ToolCall | CustomCall {
  if (isJsonObject(call) && isJsonObject(call.custom)) return readCustomCall(call, call.custom, param);
  if (!isJsonObject(call) || !isJsonObject(call.function)) {
    throw invalidRequestError(param, `${param} must be a call of type function or custom`);
  }
  const callArguments = readArguments(call.function.arguments, `${param}.function.arguments`);
  return {
    type: 'call',
    id: readText(call.id, `${param}.id`),
    name: readText(call.function.name, `${param}.function.name`),
    namespace: null,
    ...callArguments,
    cacheControl: readCacheControl(call, param),
    payload: readThoughtSignature(call),
    param,
  };
}

function readCustomCall(call: JsonObject, { name, input }: JsonObject, param: string): CustomCall {
  return {
    type: 'custom_call',
    id: readText(call.id, `${param}.id`),
    name: readText(name, `${param}.custom.name`),
    namespace: null,
    input: readText(input ?? '', `${param}.custom.input`),
    cacheControl: readCacheControl(call, param),
    payload: readThoughtSignature(call),
    param,
  };
}

export interface InstructionPlacement {
  /** By default, all instructions are at the front, since most native APIs accept none between turns. */
  keepsPlaces?: boolean;
}

export function toConversation(
  messages: readonly Message[],
  { keepsPlaces = false }: InstructionPlacement = {},
): Conversation {
  const { system, turns }: Conversation = { system: [], turns: [] };
  for (const message of messages) {
    if (message.role !== 'system') appendMessage(turns, message);
    else if (!keepsPlaces || turns.length === 0) appendAll(system, message.parts);
    else if (message.parts.length > 0) turns.push(message);
  }
  return { system, turns };
}
