/** Parts of messages and tools for which the Gemini API has no place, and which change no answer's meaning. */
import type { CompletionRequest } from '../translation/completion-request.ts';
import type { ContentPart } from '../translation/content-parts.ts';

/** Their names, each once. Prompts are cached without being asked: https://ai.google.dev/gemini-api/docs/caching */
export function leftOut(request: CompletionRequest): string[] {
  const parts = allParts(request);
  const marked = [...parts, ...request.tools, ...toolResults(request), ...toolCalls(request)].some(
    (value) => 'cacheControl' in value && value.cacheControl !== null,
  );
  const media = parts.filter((part) => part.type === 'media');
  return [
    ...(marked ? ['cache_control'] : []),
    ...(media.some(({ detail }) => detail !== null && detail !== 'auto') ? ['image_url.detail'] : []),
    ...(media.some(({ filename }) => filename !== null) ? ['file.filename'] : []),
  ];
}

function allParts({ system, turns }: CompletionRequest): ContentPart[] {
  const ofTurns = turns.flatMap((turn): ContentPart[] =>
    turn.role === 'user'
      ? [...turn.toolResults.flatMap(({ parts }) => parts), ...turn.parts]
      : turn.messages.flatMap(({ parts }) => parts),
  );
  return [...system, ...ofTurns];
}

function toolCalls({ turns }: CompletionRequest) {
  const messages = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
  return messages.flatMap((message) => message.toolCalls);
}

function toolResults({ turns }: CompletionRequest) {
  return turns.flatMap((turn) => (turn.role === 'user' ? turn.toolResults : []));
}
