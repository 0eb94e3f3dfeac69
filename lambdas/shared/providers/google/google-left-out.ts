/** Parts of messages and tools for which the Gemini API has no place, and which change no answer's meaning. */
import type { CompletionRequest } from '../translation/completion-request.ts';
import type { ContentPart } from '../translation/content-parts.ts';

/** Their names, each once. Prompts are cached without being asked: https://ai.google.dev/gemini-api/docs/caching */
export function leftOut(request: CompletionRequest): string[] {
  const parts = allParts(request);
  const toolCalls = answers(request).flatMap((message) => message.toolCalls);
  const marked = [...parts, ...request.tools, ...toolResults(request), ...toolCalls].some(
    (value) => 'cacheControl' in value && value.cacheControl !== null,
  );
  const media = parts.filter((part) => part.type === 'media');
  // Gemini 3 takes its images back only with their signatures, for which there is no place.
  const drawn = answers(request).some(
    ({ source }) => Array.isArray(source.images) && source.images.length > 0,
  );
  return [
    ...(marked ? ['cache_control'] : []),
    ...(media.some(({ detail }) => detail !== null && detail !== 'auto') ? ['image_url.detail'] : []),
    ...(media.some(({ filename }) => filename !== null) ? ['file.filename'] : []),
    ...(drawn ? ['messages.images'] : []),
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

function answers({ turns }: CompletionRequest) {
  return turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
}

function toolResults({ turns }: CompletionRequest) {
  return turns.flatMap((turn) => (turn.role === 'user' ? turn.toolResults : []));
}
