/** Details of messages and tools for which not every provider has a place, and whose loss changes no answer's meaning. */
import type { CompletionRequest } from './completion-request.ts';
import type { ContentPart } from './content-parts.ts';
import { answersIn, type Turn } from './conversation.ts';
import type { ToolCall, ToolMessage } from './messages.ts';

export interface RequestDetails {
  /** Anything but OpenAI's own choice of an image's resolution. */
  imageDetail: boolean;
  filenames: boolean;
  /** Images in the answers of before, where some providers put those that a model drew. */
  drawnImages: boolean;
  cacheMarks: { inMessages: boolean; inTools: boolean };
}

export function detailsOf({ system, turns, tools }: CompletionRequest): RequestDetails {
  const said = turns.flatMap(contentOf);
  const media = said.filter((part) => 'type' in part && part.type === 'media');
  return {
    imageDetail: media.some(({ detail }) => (detail ?? 'auto') !== 'auto'),
    filenames: media.some(({ filename }) => filename !== null),
    drawnImages: answersIn(turns).some(
      ({ source }) => Array.isArray(source.images) && source.images.length > 0,
    ),
    cacheMarks: {
      inMessages: [...system, ...said].some(({ cacheControl }) => cacheControl !== null),
      inTools: tools.some((tool) => tool.type === 'function' && tool.cacheControl !== null),
    },
  };
}

/** Parts, calls, and results with their parts. */
function contentOf(turn: Turn): (ContentPart | ToolCall | ToolMessage)[] {
  if (turn.role === 'user') {
    return [...turn.toolResults.flatMap((result) => [result, ...result.parts]), ...turn.parts];
  }
  return turn.messages.flatMap(({ parts, toolCalls }) => [...parts, ...toolCalls]);
}
