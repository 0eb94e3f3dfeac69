import { describe, expect, it } from 'vitest';
import { mergeUsageFrames } from '#lambdas/inference/providers/usage-frames.ts';

describe('mergeUsageFrames', () => {
  it.each([
    [
      'parts of the counts',
      { prompt_tokens: 9 },
      { completion_tokens: 3 },
      { prompt_tokens: 9, completion_tokens: 3 },
    ],
    ['growing counts', { completion_tokens: 1 }, { completion_tokens: 3 }, { completion_tokens: 3 }],
    ['zeros after counts', { prompt_tokens: 9 }, { prompt_tokens: 0 }, { prompt_tokens: 9 }],
    ['counts after zeros', { prompt_tokens: 0 }, { prompt_tokens: 9 }, { prompt_tokens: 9 }],
    ['a null after a count', { prompt_tokens: 9 }, { prompt_tokens: null }, { prompt_tokens: 9 }],
    ['the first zero', {}, { completion_tokens: 0 }, { completion_tokens: 0 }],
    ['a cost after the counts', { prompt_tokens: 9 }, { cost: 0.5 }, { prompt_tokens: 9, cost: 0.5 }],
    [
      'details',
      { prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 } },
      { prompt_tokens_details: { cached_tokens: 0, image_tokens: 2 } },
      { prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1, image_tokens: 2 } },
    ],
    ['empty details after details', { details: { a: 1 } }, { details: {} }, { details: { a: 1 } }],
    ['lists, of which the last counts', { rounds: [1] }, { rounds: [1, 2] }, { rounds: [1, 2] }],
    ['an empty list after a list', { rounds: [1] }, { rounds: [] }, { rounds: [1] }],
    ['something other than an object', { prompt_tokens: 9 }, 'none', { prompt_tokens: 9 }],
  ])('merges %s', (_case, earlier, later, merged) => {
    expect(mergeUsageFrames(earlier, later)).toEqual(merged);
  });
});
