/** Translates messages, content parts and tools to Anthropic's format. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { argumentsSchema, readThinkingBlocks } from '../translation/claude.ts';
import {
  type ContentPart,
  type MediaPart,
  type MediaSource,
  withoutBlankText,
} from '../translation/content-parts.ts';
import {
  type AssistantTurn,
  calledToolNames,
  type ToolCall,
  type ToolMessage,
  type Turn,
  type UserTurn,
  withSingleCacheBreakpoint,
} from '../translation/messages.ts';
import { unsupportedParameter } from '../translation/parameters.ts';
import type { CompletionRequest } from '../translation/request.ts';
import { withUniqueCallIds } from '../translation/tool-call-ids.ts';
import type { ToolNameRule } from '../translation/tool-names.ts';
import type { FunctionTool, Tool, ToolChoice } from '../translation/tools.ts';

/** "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'" https://github.com/home-assistant/core/issues/147760 */
export const toolNameRule: ToolNameRule = {
  character: /[a-zA-Z0-9_-]/,
  firstCharacter: /[a-zA-Z0-9_-]/,
  maxLength: 128,
};

/** Omits turns without content, which the API rejects; it merges the turns around them. */
export function toMessages(turns: readonly Turn[]): JsonObject[] {
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

function toolResult(result: ToolMessage): JsonObject {
  const { parts, cacheControl } = withSingleCacheBreakpoint(result);
  const content = contentBlocks(parts);
  return {
    type: 'tool_result',
    tool_use_id: result.toolCallId,
    ...(content.length > 0 && { content }),
    ...cacheControlField(cacheControl),
  };
}

/** Omits thinking without other content: "The final block in an assistant message cannot be `thinking`". */
function assistantBlocks({ messages }: AssistantTurn): JsonObject[] {
  return messages.flatMap((message) => {
    const content = [...contentBlocks(message.parts), ...message.toolCalls.map(toolUse)];
    return content.length === 0 ? [] : [...readThinkingBlocks(message), ...content];
  });
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
function cacheControlField(cacheControl: JsonObject | null): JsonObject {
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
      throw unsupportedParameter(part.param, `${part.param} is ${part.medium}, which Claude does not accept`);
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
  throw unsupportedParameter(param, `${param} is of type ${mediaType}: Claude accepts PDF and text`);
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
export function toolFields(request: CompletionRequest): JsonObject {
  const { tools, choice, parallelToolCalls } = request;
  if (tools.length === 0) return withoutTools(request);
  const toolChoice = toToolChoice(choice ?? { mode: 'auto' });
  const isSequential = parallelToolCalls === false && toolChoice.type !== 'none';
  const isExplicit = choice !== null || isSequential;
  return {
    tools: tools.map(toTool),
    ...(isExplicit && {
      tool_choice: { ...toolChoice, ...(isSequential && { disable_parallel_tool_use: true }) },
    }),
  };
}

/**
 * Defines the tools that were called earlier and excludes new calls: "Requests which include `tool_use` or `tool_result`
 * blocks must define tools."
 */
function withoutTools({ turns }: CompletionRequest): JsonObject {
  const names = calledToolNames(turns);
  if (names.length === 0) return {};
  return {
    tools: names.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

function toTool(tool: Tool): JsonObject {
  return tool.type === 'provider' ? tool.definition : functionTool(tool);
}

function functionTool({ name, description, parameters, strict, cacheControl }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && { description }),
    input_schema: argumentsSchema({ parameters, isStrict: strict === true }),
    ...(strict === true && { strict }),
    ...cacheControlField(cacheControl),
  };
}

function toToolChoice(choice: ToolChoice): JsonObject {
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return { type: choice.mode };
    case 'required':
      return { type: 'any' };
    case 'function':
      return { type: 'tool', name: choice.name };
    default:
      return choice satisfies never;
  }
}
