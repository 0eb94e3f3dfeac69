/** Details of content that have no place in Converse, or none with the model. */
import type { CompletionRequest } from '../translation/completion-request.ts';
import { detailsOf } from '../translation/request-details.ts';
import type { BedrockModel } from './bedrock-models.ts';

export function leftOut(request: CompletionRequest, { caching }: BedrockModel): string[] {
  const { cacheMarks, imageDetail, drawnImages } = detailsOf(request);
  const losesMark =
    (cacheMarks.inMessages && caching === 'none') || (cacheMarks.inTools && caching !== 'everywhere');
  return [
    ...(imageDetail ? ['image_url.detail'] : []),
    ...(losesMark ? ['cache_control'] : []),
    ...(drawnImages ? ['messages.images'] : []),
  ];
}
