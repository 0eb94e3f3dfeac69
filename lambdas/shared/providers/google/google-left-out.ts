/** Parts of messages and tools for which the Gemini API has no place, and which change no answer's meaning. */
import type { CompletionRequest } from '../translation/completion-request.ts';
import { detailsOf } from '../translation/request-details.ts';

/** Their names, each once. Prompts are cached without being asked: https://ai.google.dev/gemini-api/docs/caching */
export function leftOut(request: CompletionRequest): string[] {
  const { cacheMarks, imageDetail, filenames, drawnImages } = detailsOf(request);
  return [
    ...(cacheMarks.inMessages || cacheMarks.inTools ? ['cache_control'] : []),
    ...(imageDetail ? ['image_url.detail'] : []),
    ...(filenames ? ['file.filename'] : []),
    // Gemini 3 takes its images back only with their signatures, for which there is no place.
    ...(drawnImages ? ['messages.images'] : []),
  ];
}
