import { describe, expect, it } from 'vitest';
import { acceptedBody, askGoogle } from '#test/support/providers/google/google-exchange.ts';

const level = (thinkingLevel: string) => ({ thinkingLevel, includeThoughts: true });
const budget = (thinkingBudget: number) => ({ thinkingBudget, includeThoughts: true });

describe('how much Google thinks', () => {
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
    'is for %s with the effort %s what Google itself makes of it',
    async (model, reasoning_effort, thinkingConfig) => {
      const { ignoredParameters } = await askGoogle({ model, reasoning_effort });

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
  ])('cannot be told to %s with the effort %s, which is told', async (model, reasoning_effort) => {
    const { body, ignoredParameters } = await askGoogle({ model, reasoning_effort });

    expect(body).not.toHaveProperty('generationConfig');
    expect(ignoredParameters).toEqual(['reasoning_effort']);
  });

  it('knows of Gemma that it thinks little or much', async () => {
    const model = 'gemma-4-31b-it';

    for (const effort of ['minimal', 'high']) {
      expect(await acceptedBody({ model, reasoning_effort: effort })).toMatchObject({
        generationConfig: { thinkingConfig: level(effort) },
      });
    }
    expect((await askGoogle({ model, reasoning_effort: 'low' })).ignoredParameters).toEqual([
      'reasoning_effort',
    ]);
  });
});

describe("a caller's own words to Google", () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];

  it('are joined with what was translated, and win', async () => {
    const body = await acceptedBody({
      temperature: 0.5,
      max_tokens: 10,
      generationConfig: { temperature: 0.7, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'cachedContents/x1',
    });

    expect(body).toEqual({
      contents,
      generationConfig: { temperature: 0.7, maxOutputTokens: 10, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'cachedContents/x1',
    });
  });

  it('may be spelt in either way of the API, of which it wants one at a time', async () => {
    const tools = [{ type: 'function', function: { name: 'my_function' } }];
    const body = await acceptedBody({
      temperature: 0.5,
      tools,
      tool_choice: 'required',
      tool_config: { function_calling_config: { allowed_function_names: ['my_function'] } },
      generation_config: { top_k: 3, temperature: 1, thinking_config: { thinking_level: 'low' } },
    });

    expect(body).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['my_function'] } },
      generationConfig: { topK: 3, temperature: 1, thinkingConfig: { thinkingLevel: 'low' } },
    });
    expect(body).not.toHaveProperty('generation_config');
  });

  it("may be in the fields of Google's own OpenAI endpoint", async () => {
    const extra_body = {
      google: {
        thinking_config: { thinking_budget: 100, include_thoughts: true },
        cached_content: 'cachedContents/x1',
      },
    };
    const { body, ignoredParameters } = await askGoogle({ model: 'gemini-2.5-flash', extra_body });

    expect(body).toEqual({
      contents,
      generationConfig: { thinkingConfig: { thinkingBudget: 100, includeThoughts: true } },
      cachedContent: 'cachedContents/x1',
    });
    expect(ignoredParameters).toEqual([]);
  });

  it('win over those of the endpoint where both say something', async () => {
    const { body } = await askGoogle({
      model: 'gemini-2.5-flash',
      generationConfig: { thinkingConfig: { thinkingBudget: 1 } },
      extra_body: { google: { thinking_config: { thinking_budget: 2 } } },
    });

    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 1 } } });
  });

  it('say how much to think against an effort, which is told', async () => {
    const model = 'gemini-2.5-flash';
    const thinkingConfig = { thinkingBudget: 100 };
    const { body, ignoredParameters } = await askGoogle({
      model,
      reasoning_effort: 'high',
      generationConfig: { thinkingConfig },
    });

    expect(body).toEqual({ contents, generationConfig: { thinkingConfig } });
    expect(ignoredParameters).toEqual(['reasoning_effort']);
  });

  it('leave an effort alone when they say nothing of it', async () => {
    const body = await acceptedBody({
      reasoning_effort: 'low',
      generationConfig: { thinkingConfig: { includeThoughts: false } },
    });

    expect(body).toEqual({
      contents,
      generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: false } },
    });
  });

  it('are for Google to refuse', async () => {
    const { body } = await askGoogle({ extra_body: {}, unheard_of: { a_b: 1 } });

    expect(body).toEqual({ contents, unheardOf: { a_b: 1 } });
  });

  it.each([
    ['extra_body', 'x'],
    ['extra_body.google', { google: 'x' }],
    ['extra_body.other', { google: {}, other: 1 }],
  ])('are refused where they are not in their place: %s', async (param, extra_body) => {
    await expect(askGoogle({ extra_body })).rejects.toMatchObject({ status: 400, param });
  });
});
