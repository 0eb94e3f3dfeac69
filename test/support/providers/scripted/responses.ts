/** Scripted completions in the format of the Responses API, whose fake takes encrypted reasoning back unchanged only. */
import type { ResponsesRequest } from '../openai/responses/request.ts';
import type { Item, Turn as ResponsesTurn } from '../openai/responses/turns.ts';
import { openAiDialect } from './openai-dialects.ts';
import { type Part, type Turn, uniqueLetters } from './turns.ts';

export function toResponsesTurn(turn: Turn, request: ResponsesRequest, requestId: string): ResponsesTurn {
  if (!('parts' in turn)) return openAiDialect.failures[turn.failure];
  return {
    items: turn.parts.map((part, position) => itemOf(part, position, { request, requestId })),
    usage: turn.usage,
    ...(turn.broken !== undefined && { broken: turn.broken }),
  };
}

function itemOf(
  part: Part,
  position: number,
  { request: { reasoning }, requestId }: { request: ResponsesRequest; requestId: string },
): Item {
  switch (part.type) {
    case 'text':
      return { type: 'message', text: part.text };
    case 'reasoning':
      return { type: 'reasoning', summary: reasoning?.summary == null ? [] : part.text };
    case 'call': {
      const call_id = `call_${uniqueLetters(requestId, position, 24)}`;
      return { type: 'function_call', call_id, name: part.name, arguments: JSON.stringify(part.input) };
    }
    default:
      return part satisfies never;
  }
}
