/**
 * Translates messages and content parts to those of Converse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
import { createHash } from 'node:crypto';
import { type ContentPart, type MediaPart, withoutBlankText } from '#lambdas/inference/completion/content.ts';
import {
  type AssistantPart,
  type AssistantTurn,
  type DialogTurn,
  type ToolCall,
  type ToolResult,
  type UserTurn,
  withSingleCacheBreakpoint,
} from '#lambdas/inference/completion/conversation.ts';
import { invalidRequestError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { type ThinkingBlock, thinkingBlockOf, withoutFinalReasoning } from '../translation/claude.ts';
import { describeMediaType } from '../translation/media-types.ts';
import { withUniqueCallIds } from '../translation/tool-call-ids.ts';
import { type BedrockModel, mayBeClaude } from './models.ts';

interface ConverseMessage {
  role: DialogTurn['role'];
  content: JsonObject[];
}

/** Omits turns without content, which Converse rejects, and merges the turns around them. */
export function toMessages(turns: readonly DialogTurn[], model: BedrockModel): ConverseMessage[] {
  const messages: ConverseMessage[] = [];
  for (const turn of withUniqueCallIds(turns, (id) => toolUseId(id, model))) {
    const content = turn.role === 'user' ? userBlocks(turn, model) : assistantBlocks(turn, model);
    const last = messages.at(-1);
    if (last?.role === turn.role) last.content = last.content.concat(content);
    else if (content.length > 0) messages.push({ role: turn.role, content });
  }
  return uniquelyNamed(messages);
}

function userBlocks({ toolResults, parts }: UserTurn, model: BedrockModel): JsonObject[] {
  return [...toolResults.flatMap((result) => toolResult(result, model)), ...contentBlocks(parts, model)];
}

/** Cache points follow a tool result, since they are not accepted within it. */
function toolResult(result: ToolResult, model: BedrockModel): JsonObject[] {
  const { parts, cacheControl } = withSingleCacheBreakpoint(result);
  const content = contentBlocks(parts, model);
  const status = result.isError ? { status: 'error' } : {};
  const block = { toolUseId: result.toolCallId, content, ...status };
  return [{ toolResult: block }, ...cachePoint(cacheControl, model)];
}

function assistantBlocks({ messages }: AssistantTurn, model: BedrockModel): JsonObject[] {
  return messages.flatMap(({ parts }) =>
    withoutFinalReasoning(withoutBlankText(parts)).flatMap((part) => assistantBlock(part, model)),
  );
}

/** Leaves out reasoning for models other than Claude, which do not sign theirs, and reject signed reasoning. */
function assistantBlock(part: AssistantPart, model: BedrockModel): JsonObject[] {
  switch (part.type) {
    case 'text':
      return contentBlock(part, model);
    case 'call':
      return toolUse(part, model);
    case 'reasoning': {
      const block = mayBeClaude(model) ? thinkingBlockOf(part) : null;
      return block === null ? [] : [{ reasoningContent: reasoningContent(block) }];
    }
    case 'custom_call':
      return [];
    default:
      return part satisfies never;
  }
}

function toolUse({ id, name, arguments: input, cacheControl }: ToolCall, model: BedrockModel): JsonObject[] {
  const call = { toolUse: { toolUseId: id, name, input } };
  return [call, ...cachePoint(cacheControl, model)];
}

function reasoningContent(block: ThinkingBlock): JsonObject {
  if (block.type === 'redacted_thinking') return { redactedContent: block.data };
  const { thinking: text, signature } = block;
  return { reasoningText: { text, signature } };
}

/**
 * Replaces ids of other providers that are too long or contain unsupported characters. Mistral accepts only nine letters
 * and digits.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 */
function toolUseId(id: string, { vendor }: BedrockModel): string {
  const isAccepted = vendor === 'mistral' ? /^[a-zA-Z0-9]{9}$/ : /^[a-zA-Z0-9_.:-]{1,64}$/;
  if (isAccepted.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex');
  return vendor === 'mistral' ? digest.slice(0, 9) : `call_${digest.slice(0, 32)}`;
}

/** Converse rejects two documents with the same name. */
function uniquelyNamed(messages: ConverseMessage[]): ConverseMessage[] {
  const used = new Set<unknown>();
  // Remembers the last number of each name, so that many documents with the same name take linear time.
  const lastNumbers = new Map<unknown, number>();
  for (const { document } of messages.flatMap(({ content }) => content)) {
    if (!isJsonObject(document)) continue;
    const { name } = document;
    let number = lastNumbers.get(name) ?? 1;
    while (used.has(document.name)) document.name = `${name} (${++number})`;
    lastNumbers.set(name, number);
    used.add(document.name);
  }
  return messages;
}

/**
 * Omits blank text, which Converse rejects.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
export function contentBlocks(parts: readonly ContentPart[], model: BedrockModel): JsonObject[] {
  return withoutBlankText(parts).flatMap((part) => contentBlock(part, model));
}

function contentBlock(part: ContentPart, model: BedrockModel): JsonObject[] {
  const block = part.type === 'text' ? { text: part.text } : mediaBlock(part);
  return [block, ...cachePoint(part.cacheControl, model)];
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html */
export function cachePoint(cacheControl: JsonObject | null, { caching }: BedrockModel): JsonObject[] {
  if (cacheControl === null || caching === 'none') return [];
  const { ttl } = cacheControl;
  return [{ cachePoint: { type: 'default', ...(ttl !== undefined && ttl !== null && { ttl }) } }];
}

const formats: Readonly<Record<MediaPart['medium'], Readonly<Record<string, string>>>> = {
  image: {
    'image/png': 'png',
    'image/jpeg': 'jpeg',
    'image/gif': 'gif',
    'image/webp': 'webp',
  },
  document: {
    'application/pdf': 'pdf',
    'text/csv': 'csv',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'text/html': 'html',
    'text/plain': 'txt',
    'text/markdown': 'md',
  },
  audio: {
    'audio/wav': 'wav',
    'audio/mp3': 'mp3',
    'audio/mpeg': 'mp3',
    'audio/aac': 'aac',
    'audio/flac': 'flac',
    'audio/ogg': 'ogg',
    'audio/opus': 'opus',
    'audio/webm': 'webm',
  },
  video: {
    'video/mp4': 'mp4',
    'video/quicktime': 'mov',
    'video/x-matroska': 'mkv',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
  },
};

function mediaBlock({ medium, source, filename, param }: MediaPart): JsonObject {
  if (source.kind === 'url') {
    throw unsupportedParameterError(
      param,
      `${param} is a URL, which Bedrock does not fetch: send the content as a data URL`,
    );
  }
  const supported = formats[medium];
  const format = Object.hasOwn(supported, source.mediaType) ? supported[source.mediaType] : undefined;
  if (format === undefined) {
    const names = [...new Set(Object.values(supported))].join(', ');
    throw unsupportedParameterError(
      param,
      `${param} is ${describeMediaType(source.mediaType)}: Bedrock accepts ${names}`,
    );
  }
  if (!isBase64(source.data)) throw invalidRequestError(param, `${param} must contain base64 data`);
  const content = { format, source: { bytes: source.data } };
  return { [medium]: medium === 'document' ? { name: documentName(filename), ...content } : content };
}

/** The API's error for invalid data does not name the field. */
function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/**
 * Converts a file name to the supported format: at most 200 letters, digits, hyphens, underscores, brackets and single
 * spaces, without the extension. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html;
 * undocumented characters: https://github.com/aws-samples/generative-ai-use-cases/issues/1671
 */
function documentName(filename: string | null): string {
  const name = (filename ?? '')
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9_\-()[\]]+/g, ' ')
    .trim()
    .slice(0, 200)
    .trim();
  return name === '' ? 'document' : name;
}
