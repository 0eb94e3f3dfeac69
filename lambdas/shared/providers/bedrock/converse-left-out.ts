/** Details of content that have no place in Converse, or none with the model. */
import type { CompletionRequest } from '../translation/completion-request.ts';
import type { ContentPart } from '../translation/content-parts.ts';
import type { Turn } from '../translation/conversation.ts';
import type { ToolCall, ToolMessage } from '../translation/messages.ts';
import type { BedrockModel } from './bedrock-models.ts';

export function leftOut({ system, turns, tools }: CompletionRequest, { caching }: BedrockModel): string[] {
  const parts = [...system, ...turns.flatMap(partsOf)];
  const hasDetail = parts.some((part) => part.type === 'media' && (part.detail ?? 'auto') !== 'auto');
  const isMarked = [...parts, ...turns.flatMap(callsAndResults)].some(
    ({ cacheControl }) => cacheControl !== null,
  );
  const hasMarkedTool = tools.some((tool) => tool.type === 'function' && tool.cacheControl !== null);
  const losesMark = (isMarked && caching === 'none') || (hasMarkedTool && caching !== 'everywhere');
  return [...(hasDetail ? ['image_url.detail'] : []), ...(losesMark ? ['cache_control'] : [])];
}

function partsOf(turn: Turn): ContentPart[] {
  if (turn.role === 'assistant') return turn.messages.flatMap(({ parts }) => parts);
  return [...turn.toolResults.flatMap(({ parts }) => parts), ...turn.parts];
}

function callsAndResults(turn: Turn): (ToolCall | ToolMessage)[] {
  return turn.role === 'assistant' ? turn.messages.flatMap(({ toolCalls }) => toolCalls) : turn.toolResults;
}
