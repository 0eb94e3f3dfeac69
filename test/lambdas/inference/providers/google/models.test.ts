import { describe, expect, it } from 'vitest';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { readResponsesCompletion } from '#lambdas/inference/responses/request/request.ts';
import { acceptedBody, callGoogle } from '#test/support/providers/google/call.ts';

const level = (thinkingLevel: string) => ({ thinkingLevel, includeThoughts: true });
const budget = (thinkingBudget: number) => ({ thinkingBudget, includeThoughts: true });

describe('reasoning_effort for Google', () => {
  it.each([
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'minimal', budget(1024)],
    ['gemini-2.5-flash-lite', 'low', budget(1024)],
    ['gemini-2.5-pro', 'medium', budget(8192)],
    ['models/gemini-2.5-pro', 'high', budget(24_576)],
    ['gemini-3-flash-preview', 'minimal', level('minimal')],
    ['gemini-3.1-flash-lite', 'minimal', level('minimal')],
    ['gemini-3.5-flash', 'low', level('low')],
    ['gemini-3.1-pro-preview', 'minimal', level('low')],
    ['gemini-3.1-pro-preview', 'medium', level('medium')],
    ['gemini-3.8-flash', 'minimal', level('low')],
    ['gemini-3.8-flash', 'high', level('high')],
    ['gemini-flash-latest', 'minimal', level('low')],
    ['gemini-flash-lite-latest', 'minimal', level('minimal')],
  ])(
    "sends %s with effort %s the thinkingConfig of Google's OpenAI endpoint",
    async (model, reasoning_effort, thinkingConfig) => {
      const { ignoredParameters } = await callGoogle({ model, reasoning_effort });

      expect(await acceptedBody({ model, reasoning_effort })).toMatchObject({
        generationConfig: { thinkingConfig },
      });
      expect(ignoredParameters).toEqual([]);
    },
  );

  it.each([
    ['gemini-2.5-pro', 'none'],
    ['gemini-3.5-flash', 'none'],
    ['gemini-3.5-flash', 'xhigh'],
    ['gemini-2.0-flash', 'high'],
    ['gemma-3-27b-it', 'low'],
    ['learnlm-2', 'low'],
  ])(
    'omits thinkingConfig for %s with unsupported effort %s and reports it as ignored',
    async (model, reasoning_effort) => {
      const { body, ignoredParameters } = await callGoogle({ model, reasoning_effort });

      expect(body).not.toHaveProperty('generationConfig');
      expect(ignoredParameters).toEqual(['reasoning_effort']);
    },
  );

  it('sends Gemma 4 only the efforts minimal and high', async () => {
    const model = 'gemma-4-31b-it';

    for (const effort of ['minimal', 'high']) {
      expect(await acceptedBody({ model, reasoning_effort: effort })).toMatchObject({
        generationConfig: { thinkingConfig: level(effort) },
      });
    }
    expect((await callGoogle({ model, reasoning_effort: 'low' })).ignoredParameters).toEqual([
      'reasoning_effort',
    ]);
  });
});

describe('A summary of reasoning from Google', () => {
  const shown = { thinkingConfig: { includeThoughts: true } };

  it.each([
    ['gemini-3.5-flash', {}, shown, []],
    ['gemini-2.5-pro', {}, shown, []],
    ['gemini-3.5-flash', { effort: 'low' }, { thinkingConfig: level('low') }, []],
    ['gemini-3.5-flash', { effort: 'xhigh' }, shown, ['reasoning.effort']],
    ['gemini-3.5-flash', { effort: 'none' }, undefined, ['reasoning.effort']],
    ['gemini-2.5-flash-lite', {}, undefined, []],
    ['gemini-2.0-flash', {}, undefined, []],
    ['gemma-3-27b-it', {}, undefined, []],
  ])('is requested of %s with %j where it thinks', (model, reasoning, generationConfig, ignored) => {
    const request = { input: 'Hello', reasoning: { ...reasoning, summary: 'auto' } };
    const completion = readResponsesCompletion({ text: JSON.stringify(request), body: request }, 'google');
    const { body, ignoredParameters } = toGoogleRequest(completion, { provider: 'google', model });

    expect(body.generationConfig).toEqual(generationConfig);
    expect(ignoredParameters).toEqual(ignored);
  });
});
