/** A conversation in OpenAI's format, as the messages of Anthropic's. */
import type { JsonObject } from '../../domain/json.ts';
import { thoughtsOf } from '../translation/claude-thinking.ts';
import type { AssistantTurn, Turn, UserTurn } from '../translation/conversation.ts';
import type { ToolCall, ToolMessage } from '../translation/messages.ts';
import { cacheMark, contentBlocks } from './messages-content.ts';

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
