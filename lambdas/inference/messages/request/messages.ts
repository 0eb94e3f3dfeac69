/**
 * Parses and validates the system prompt and the messages of a Messages request, and groups them into turns.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import {
  onlyText,
  readCacheControl,
  setCacheControlOnLast,
  withoutEmptyText,
} from '#lambdas/inference/completion/content.ts';
import type {
  AssistantMessage,
  AssistantPart,
  Conversation,
  ToolCall,
  ToolResult,
  Turn,
} from '#lambdas/inference/completion/conversation.ts';
import { appendAll, appendMessage } from '#lambdas/inference/completion/turns.ts';
import { thinkingSignature } from '#lambdas/inference/providers/translation/claude.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import {
  readObject,
  readOptionalBoolean,
  readOptionalList,
  readOptionalText,
  readText,
} from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { blockTypeError, readContent, readContentBlock, readList } from './content.ts';

export function readConversation(body: JsonObject): Conversation {
  const conversation: Conversation = { system: onlyText(readContent(body.system, 'system')), turns: [] };
  for (const [index, message] of readOptionalList(body.messages, 'messages').entries()) {
    readMessage(message, `messages.${index}`, conversation);
  }
  // A breakpoint of the request is that of its last block.
  setCacheControlOnLast(lastParts(conversation), readCacheControl(body, 'body'));
  return conversation;
}

function readMessage(value: unknown, param: string, { system, turns }: Conversation): void {
  const { role, content } = readObject(value, param);
  const contentParam = `${param}.content`;
  switch (role) {
    case 'user':
      readUserMessage(content, contentParam, turns);
      break;
    case 'assistant':
      appendMessage(turns, readAssistantMessage(content, contentParam));
      break;
    case 'system': {
      const parts = onlyText(readContent(content, contentParam));
      if (turns.length === 0) appendAll(system, parts);
      else turns.push({ role, parts });
      break;
    }
    default:
      throw invalidRequestError(`${param}.role`, `${param}.role must be user, assistant or system`);
  }
}

function readUserMessage(content: unknown, param: string, turns: Turn[]): void {
  const blocks = readList(content, param);
  const isResult = ({ block }: (typeof blocks)[number]) => block.type === 'tool_result';
  for (const { block, path } of blocks.filter(isResult)) appendMessage(turns, readToolResult(block, path));
  const others = blocks.filter((placed) => !isResult(placed));
  const parts = others.flatMap(({ block, path }) => readContentBlock(block, path));
  appendMessage(turns, { role: 'user', parts: withoutEmptyText(parts) });
}

function readToolResult(block: JsonObject, param: string): ToolResult {
  const idParam = `${param}.tool_use_id`;
  return {
    role: 'tool',
    toolCallId: readText(block.tool_use_id, idParam),
    parts: readContent(block.content, `${param}.content`),
    isError: readOptionalBoolean(block.is_error, `${param}.is_error`) ?? false,
    cacheControl: readCacheControl(block, param),
    param: idParam,
  };
}

function readAssistantMessage(content: unknown, param: string): AssistantMessage {
  const parts = readList(content, param).map(({ block, path }) => readAssistantBlock(block, path));
  return { role: 'assistant', parts: withoutEmptyText(parts), hasImages: false };
}

function readAssistantBlock(block: JsonObject, param: string): AssistantPart {
  switch (block.type) {
    case 'text': {
      const text = readText(block.text, `${param}.text`);
      return { type: 'text', text, cacheControl: readCacheControl(block, param), param, payload: null };
    }
    case 'thinking': {
      const signature = readOptionalText(block.signature, `${param}.signature`) ?? '';
      const text = readText(block.thinking, `${param}.thinking`);
      return { type: 'reasoning', text, payload: thinkingSignature(signature) };
    }
    case 'redacted_thinking': {
      const data = readText(block.data, `${param}.data`);
      return { type: 'reasoning', text: '', payload: { format: 'anthropic', kind: 'redacted', data } };
    }
    case 'tool_use':
      return readToolUse(block, param);
    default:
      throw blockTypeError(block, param);
  }
}

function readToolUse(block: JsonObject, param: string): ToolCall {
  return {
    type: 'call',
    id: readText(block.id, `${param}.id`),
    name: readText(block.name, `${param}.name`),
    namespace: null,
    arguments: readObject(block.input, `${param}.input`),
    hasInvalidArguments: false,
    cacheControl: readCacheControl(block, param),
    payload: null,
    param,
  };
}

/** The parts at the end of the request, some of which can have a breakpoint. */
function lastParts({ system, turns }: Conversation): { type?: string; cacheControl?: JsonObject | null }[] {
  const last = turns.at(-1);
  switch (last?.role) {
    case undefined:
      return system;
    case 'user':
      return last.parts.length > 0 ? last.parts : last.toolResults;
    case 'assistant':
      return last.messages.at(-1)?.parts ?? [];
    case 'system':
      return last.parts;
    default:
      return last satisfies never;
  }
}
