/** Translates messages and content parts to Anthropic's format. */
import {
  type ContentPart,
  type MediaPart,
  type MediaSource,
  withoutBlankText,
} from '#lambdas/inference/completion/content.ts';
import {
  type AssistantPart,
  type AssistantTurn,
  type DialogTurn,
  type ToolCall,
  type ToolResult,
  type UserTurn,
  withSingleCacheBreakpoint,
} from '#lambdas/inference/completion/conversation.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { thinkingBlockOf, withoutFinalReasoning } from '../translation/claude.ts';
import { describeMediaType } from '../translation/media-types.ts';
import { withUniqueCallIds } from '../translation/tool-call-ids.ts';

/** Omits turns without content, which the API rejects; it merges the turns around them. */
export function toMessages(turns: readonly DialogTurn[]): JsonObject[] {
  return withUniqueCallIds(turns, toolUseId)
    .map((turn) => ({
      role: turn.role,
      content: turn.role === 'user' ? userBlocks(turn) : assistantBlocks(turn),
    }))
    .filter(({ content }) => content.length > 0);
}

function userBlocks({ toolResults, parts }: UserTurn): JsonObject[] {
  return [...toolResults.map(toolResult), ...contentBlocks(parts)];
}

function toolResult(result: ToolResult): JsonObject {
  const { parts, cacheControl } = withSingleCacheBreakpoint(result);
  const content = contentBlocks(parts);
  return {
    type: 'tool_result',
    tool_use_id: result.toolCallId,
    ...(content.length > 0 && { content }),
    ...(result.isError && { is_error: true }),
    ...cacheControlField(cacheControl),
  };
}

function assistantBlocks({ messages }: AssistantTurn): JsonObject[] {
  return messages.flatMap(({ parts }) =>
    withoutFinalReasoning(withoutBlankText(parts)).flatMap(assistantBlock),
  );
}

/** Leaves out reasoning of other providers. */
function assistantBlock(part: AssistantPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [contentBlock(part)];
    case 'call':
      return [toolUse(part)];
    case 'reasoning': {
      const block = thinkingBlockOf(part);
      return block === null ? [] : [{ ...block }];
    }
    case 'custom_call':
      return [];
    default:
      return part satisfies never;
  }
}

function toolUse({ id, name, arguments: input, cacheControl }: ToolCall): JsonObject {
  return { type: 'tool_use', id, name, input, ...cacheControlField(cacheControl) };
}

/** Escapes characters that the API rejects, as in another provider's id `functions.weather:0`. */
function toolUseId(id: string): string {
  if (id === '') return '_';
  return id.replace(/[^a-zA-Z0-9_-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`);
}

/** "text content blocks must contain non-whitespace text" https://platform.claude.com/docs/en/api/messages/create */
export function contentBlocks(parts: readonly ContentPart[]): JsonObject[] {
  return withoutBlankText(parts).map(contentBlock);
}

function contentBlock(part: ContentPart): JsonObject {
  const block = part.type === 'text' ? { type: 'text', text: part.text } : mediaBlock(part);
  return { ...block, ...cacheControlField(part.cacheControl) };
}

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export function cacheControlField(cacheControl: JsonObject | null): JsonObject {
  return cacheControl === null ? {} : { cache_control: cacheControl };
}

function mediaBlock(part: MediaPart): JsonObject {
  switch (part.medium) {
    case 'image':
      return { type: 'image', source: imageSource(part.source) };
    case 'document':
      return {
        type: 'document',
        source: documentSource(part.source, part.param),
        ...(part.filename !== null && { title: part.filename }),
      };
    case 'audio':
    case 'video':
      throw unsupportedParameterError(
        part.param,
        `${part.param} is ${part.medium}, which Claude does not accept`,
      );
    default:
      return part.medium satisfies never;
  }
}

/** https://platform.claude.com/docs/en/build-with-claude/vision */
function imageSource(source: MediaSource): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  return { type: 'base64', media_type: source.mediaType, data: source.data };
}

/** https://platform.claude.com/docs/en/build-with-claude/pdf-support */
function documentSource(source: MediaSource, param: string): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  const { mediaType, data } = source;
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  if (/^text\/|^application\/json$/.test(mediaType)) {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
  }
  throw unsupportedParameterError(
    param,
    `${param} is ${describeMediaType(mediaType)}: Claude accepts PDF and text`,
  );
}
