/**
 * Parses and validates the system prompt and the messages of a Messages request, and groups them into turns.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import {
  onlyText,
  readCacheControl,
  setCacheControlOnLast,
  type TextPart,
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
import { type SignedData, withSignedData } from '#lambdas/inference/completion/signatures.ts';
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
import { signaturesOf } from '../signatures.ts';
import { blockTypeError, isHostedBlock, readContent, readContentBlock, readList } from './content.ts';
import { isToolChange } from './tool-changes.ts';

/** `provider` is the one whose data in signatures is kept. */
export function readConversation(body: JsonObject, provider: string | null): Conversation {
  const system = onlyText(readContent(body.system, 'system')).filter(({ text }) => !isAttribution(text));
  const conversation: Conversation = { system, turns: [] };
  for (const [index, message] of readOptionalList(body.messages, 'messages').entries()) {
    readMessage(message, `messages.${index}`, { conversation, provider });
  }
  // A breakpoint of the request is that of its last block.
  setCacheControlOnLast(lastParts(conversation), readCacheControl(body, 'body'));
  return conversation;
}

/** True for the block in which Claude Code tells Anthropic who it is: no instruction, and of no use to other providers. */
export function isAttribution(text: unknown): boolean {
  return typeof text === 'string' && text.startsWith('x-anthropic-billing-header:');
}

interface MessageContext {
  conversation: Conversation;
  provider: string | null;
}

function readMessage(value: unknown, param: string, { conversation, provider }: MessageContext): void {
  const { system, turns } = conversation;
  const { role, content } = readObject(value, param);
  const contentParam = `${param}.content`;
  switch (role) {
    case 'user':
      readUserMessage(content, contentParam, turns);
      break;
    case 'assistant':
      appendMessage(turns, readAssistantMessage(content, contentParam, provider));
      break;
    case 'system': {
      const parts = readInstructions(content, contentParam);
      if (turns.length === 0) appendAll(system, parts);
      else if (parts.length > 0) turns.push({ role, parts });
      break;
    }
    default:
      throw invalidRequestError(`${param}.role`, `${param}.role must be user, assistant or system`);
  }
}

function readInstructions(content: unknown, param: string): TextPart[] {
  const blocks = readList(content, param).filter(({ block }) => !isToolChange(block));
  const parts = blocks.flatMap(({ block, path }) => readContentBlock(block, path));
  return onlyText(withoutEmptyText(parts));
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

function readAssistantMessage(content: unknown, param: string, provider: string | null): AssistantMessage {
  const blocks = readList(content, param)
    .filter(({ block }) => !isHostedBlock(block))
    .map((placed) => ({ ...placed, signatures: signaturesOf(placed.block) }))
    .filter(({ signatures }) => signatures.every((signed) => signed.provider === provider));
  const parts = blocks.map(({ block, path, signatures }) => readAssistantBlock(block, path, signatures));
  const signatures = blocks.map((placed) => placed.signatures);
  return { role: 'assistant', parts: withoutEmptyText(withSignedData(parts, signatures)), hasImages: false };
}

function readAssistantBlock(
  block: JsonObject,
  param: string,
  signatures: readonly SignedData[],
): AssistantPart {
  switch (block.type) {
    case 'text': {
      const text = readText(block.text, `${param}.text`);
      return { type: 'text', text, cacheControl: readCacheControl(block, param), param, payload: null };
    }
    case 'thinking': {
      const signature = readOptionalText(block.signature, `${param}.signature`) ?? '';
      const text = readText(block.thinking, `${param}.thinking`);
      // Without any of the gateway, it is one of Claude.
      const payload = signatures.length === 0 ? thinkingSignature(signature) : null;
      return { type: 'reasoning', text, payload };
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
