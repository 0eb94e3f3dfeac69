/**
 * The messages of a request in OpenAI's format, checked.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
import { parseExactJsonObject } from '../../domain/exact-json.ts';
import { invalidRequest } from '../../domain/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type ContentPart, readCacheControl, readContent, type TextPart } from './content-parts.ts';
import { unsupportedParameter } from './parameters.ts';
import { isAbsent, readOptionalList, readText } from './request-fields.ts';

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Of the role `system` or `developer`. */
export interface SystemMessage {
  role: 'system';
  parts: TextPart[];
}

export interface UserMessage {
  role: 'user';
  parts: ContentPart[];
}

export interface AssistantMessage {
  role: 'assistant';
  parts: TextPart[];
  toolCalls: ToolCall[];
  /** The message as the caller sent it: providers leave traces of their thinking there, to be given back. */
  source: JsonObject;
  param: string;
}

/** What a tool said, in answer to the call with this id. */
export interface ToolMessage {
  role: 'tool';
  toolCallId: string;
  parts: ContentPart[];
  /** Of the message; its parts may have their own. */
  cacheControl: JsonObject | null;
  param: string;
}

export interface ToolCall {
  id: string;
  name: string;
  /** Numbers in it keep their digits when it is written again. */
  arguments: JsonObject;
  /** Its own mark, or for the last call that of the message. */
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
  if (!isJsonObject(message)) throw invalidRequest(param, `${param} must be an object with a role`);
  const cacheControl = readCacheControl(message, param);
  const readParts = (mark: JsonObject | null) => readContent(message.content, `${param}.content`, mark);
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
      throw invalidRequest(
        `${param}.role`,
        `${param}.role must be system, developer, user, assistant or tool`,
      );
  }
}

function onlyText(parts: ContentPart[]): TextPart[] {
  return parts.map((part) => {
    if (part.type !== 'text')
      throw invalidRequest(part.param, `${part.param} must be text in a message of this role`);
    return part;
  });
}

function readAssistantMessage(
  message: JsonObject,
  { param, cacheControl }: { param: string; cacheControl: JsonObject | null },
): AssistantMessage {
  for (const field of ['function_call', 'audio']) {
    if (isAbsent(message[field])) continue;
    throw unsupportedParameter(`${param}.${field}`, `${param}.${field} is not supported by this provider`);
  }
  const toolCalls = readOptionalList(message.tool_calls, `${param}.tool_calls`).map((call, index) =>
    readToolCall(call, `${param}.tool_calls[${index}]`),
  );
  // Calls stand after the text, so the end of the message is the last of them.
  const lastCall = toolCalls.at(-1);
  if (lastCall !== undefined) lastCall.cacheControl ??= cacheControl;
  const mark = lastCall === undefined ? cacheControl : null;
  const content = readContent(message.content, `${param}.content`, mark);
  const parts = content.length > 0 ? content : readContent(message.refusal, `${param}.refusal`, mark);
  return { role: 'assistant', parts: onlyText(parts), toolCalls, source: message, param };
}

function readToolCall(call: unknown, param: string): ToolCall {
  if (!isJsonObject(call) || !isJsonObject(call.function)) {
    throw invalidRequest(param, `${param} must be a call of type function`);
  }
  const text = readText(call.function.arguments ?? '', `${param}.function.arguments`);
  const callArguments = text.trim() === '' ? {} : parseExactJsonObject(text);
  if (callArguments === null) {
    throw invalidRequest(
      `${param}.function.arguments`,
      `${param}.function.arguments must be a JSON object as text`,
    );
  }
  return {
    id: readText(call.id, `${param}.id`),
    name: readText(call.function.name, `${param}.function.name`),
    arguments: callArguments,
    cacheControl: readCacheControl(call, param),
    source: call,
    param,
  };
}
