/** A conversation in OpenAI's format, as the messages of Anthropic's. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { argumentsSchema, thoughtsOf } from '../translation/claude.ts';
import {
  type ContentPart,
  type MediaPart,
  type MediaSource,
  withoutBlanks,
} from '../translation/content-parts.ts';
import {
  type AssistantTurn,
  calledToolNames,
  type ToolCall,
  type ToolMessage,
  type Turn,
  type UserTurn,
} from '../translation/messages.ts';
import { unsupportedParameter } from '../translation/parameters.ts';
import type { CompletionRequest } from '../translation/request.ts';
import type { FunctionTool, Tool, ToolChoice } from '../translation/tools.ts';
/** A turn without content is left out: the API takes none, and joins the turns around it. */
export function messagesOf(turns: readonly Turn[]): JsonObject[] {
  return turns
    .map((turn) => ({
      role: turn.role,
      content: turn.role === 'user' ? userBlocks(turn) : assistantBlocks(turn),
    }))
    .filter(({ content }) => content.length > 0);
}

function userBlocks({ toolResults, parts }: UserTurn): JsonObject[] {
  return [...toolResults.map(toolResult), ...contentBlocks(parts)];
}

/** Marks for the cache stand at the result itself, not inside. */
function toolResult({ toolCallId, parts, cacheControl }: ToolMessage): JsonObject {
  const marks = [cacheControl, ...parts.map((part) => part.cacheControl)];
  const content = contentBlocks(parts.map((part) => ({ ...part, cacheControl: null })));
  return {
    type: 'tool_result',
    tool_use_id: toolUseId(toolCallId),
    ...(content.length > 0 && { content }),
    ...cacheMark(marks.findLast((mark) => mark !== null) ?? null),
  };
}

/** "The final block in an assistant message cannot be `thinking`": thoughts alone are left out. */
function assistantBlocks({ messages }: AssistantTurn): JsonObject[] {
  return messages.flatMap((message) => {
    const said = [...contentBlocks(message.parts), ...message.toolCalls.map(toolUse)];
    return said.length === 0 ? [] : [...thoughtsOf(message), ...said];
  });
}

function toolUse({ id, name, arguments: input, cacheControl }: ToolCall): JsonObject {
  return { type: 'tool_use', id: toolUseId(id), name, input, ...cacheMark(cacheControl) };
}

/**
 * Ids that other providers made up, such as `functions.weather:0`, may have characters that the API refuses. What
 * they become is the same for a call and its result, and different for different ids.
 */
function toolUseId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`);
}

// Parts of content in OpenAI's format, as content blocks. https://platform.claude.com/docs/en/api/messages/create

/** "text content blocks must contain non-whitespace text" */
export function contentBlocks(parts: readonly ContentPart[]): JsonObject[] {
  return withoutBlanks(parts).map(contentBlock);
}

function contentBlock(part: ContentPart): JsonObject {
  const block = part.type === 'text' ? { type: 'text', text: part.text } : mediaBlock(part);
  return { ...block, ...cacheMark(part.cacheControl) };
}

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export function cacheMark(cacheControl: JsonObject | null): JsonObject {
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
      throw unsupportedParameter(part.param, `${part.param} is ${part.medium}, which Claude does not take`);
    default:
      return part.medium satisfies never;
  }
}

/** https://platform.claude.com/docs/en/build-with-claude/vision */
function imageSource(source: MediaSource): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  // The name that many use for JPEG is none.
  const mediaType = source.mediaType === 'image/jpg' ? 'image/jpeg' : source.mediaType;
  return { type: 'base64', media_type: mediaType, data: source.data };
}

/** PDF as it is, text as text. https://platform.claude.com/docs/en/build-with-claude/pdf-support */
function documentSource(source: MediaSource, param: string): JsonObject {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  const { mediaType, data } = source;
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data };
  if (/^text\/|^application\/json$/.test(mediaType)) {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
  }
  throw unsupportedParameter(param, `${param} is of type ${mediaType}: Claude takes PDF and text`);
}

// Tools in OpenAI's format, as Anthropic's. https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview

/** The fields `tools` and `tool_choice`. */
export function toolFields(request: CompletionRequest): JsonObject {
  const { tools, choice, parallelToolCalls } = request;
  if (tools.length === 0) return withoutTools(request);
  const written = choiceOf(choice ?? { mode: 'auto' });
  const oneAtATime = parallelToolCalls === false && written.type !== 'none';
  const said = choice !== null || oneAtATime;
  return {
    tools: tools.map(toolOf),
    ...(said && { tool_choice: { ...written, ...(oneAtATime && { disable_parallel_tool_use: true }) } }),
  };
}

/**
 * "Requests which include `tool_use` or `tool_result` blocks must define tools." So those that were called before are
 * defined, and not to be called.
 */
function withoutTools({ turns }: CompletionRequest): JsonObject {
  const names = calledToolNames(turns);
  if (names.length === 0) return {};
  return {
    tools: names.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

function toolOf(tool: Tool): JsonObject {
  return tool.type === 'provider' ? tool.definition : functionTool(tool);
}

function functionTool({ name, description, parameters, strict, cacheControl }: FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && { description }),
    input_schema: argumentsSchema({ parameters, isStrict: strict === true }),
    ...(strict === true && { strict }),
    ...cacheMark(cacheControl),
  };
}

function choiceOf(choice: ToolChoice): JsonObject {
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
