import { describe, expect, it } from 'vitest';
import { createUsageFrames } from '#lambdas/inference/providers/usage-frames.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';

function merge(...frames: readonly unknown[]) {
  const merged = createUsageFrames();
  for (const frame of frames) merged.add(frame);
  return { usage: merged.usage, hasDecreased: merged.hasDecreased };
}

const textDetails = (tokenCount: number) => [{ modality: 'TEXT', tokenCount }];

describe('The frames of a usage', () => {
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
    ['a count after a text', { prompt_tokens: '9' }, { prompt_tokens: 3 }, { prompt_tokens: 3 }],
    ['a text after a count', { prompt_tokens: 9 }, { prompt_tokens: '3' }, { prompt_tokens: '3' }],
    ['the first zero', {}, { completion_tokens: 0 }, { completion_tokens: 0 }],
    ['a cost after the counts', { prompt_tokens: 9 }, { cost: 0.5 }, { prompt_tokens: 9, cost: 0.5 }],
    [
      'a lower cost',
      { cost: 0.5, cost_in_usd_ticks: 9 },
      { cost: 0.25 },
      { cost: 0.25, cost_in_usd_ticks: 9 },
    ],
    [
      'shorter durations and lower rates',
      { total_time: 0.5, time_to_first_token: 2, completion_tokens_per_sec: 90 },
      { total_time: 0.4, time_to_first_token: 1, completion_tokens_per_sec: 80 },
      { total_time: 0.4, time_to_first_token: 1, completion_tokens_per_sec: 80 },
    ],
    [
      'details',
      { prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 } },
      { prompt_tokens_details: { cached_tokens: 0, image_tokens: 2 } },
      { prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1, image_tokens: 2 } },
    ],
    ['empty details after details', { details: { a: 1 } }, { details: {} }, { details: { a: 1 } }],
    ['lists, of which the last counts', { rounds: [1] }, { rounds: [1, 2] }, { rounds: [1, 2] }],
    ['an empty list after a list', { rounds: [1] }, { rounds: [] }, { rounds: [1] }],
    [
      'lists of growing counts',
      { candidatesTokensDetails: textDetails(4) },
      { candidatesTokensDetails: textDetails(9) },
      { candidatesTokensDetails: textDetails(9) },
    ],
    ['something other than an object', { prompt_tokens: 9 }, 'none', { prompt_tokens: 9 }],
  ])('are merged without a decrease: %s', (_case, earlier, later, usage) => {
    expect(merge(earlier, later)).toEqual({ usage, hasDecreased: false });
  });

  it.each([
    ["OpenAI's counts", { completion_tokens: 9 }, { completion_tokens: 4 }],
    [
      'details',
      { completion_tokens_details: { reasoning_tokens: 9 } },
      { completion_tokens_details: { reasoning_tokens: 1 } },
    ],
    ["Mistral's seconds", { prompt_audio_seconds: 9 }, { prompt_audio_seconds: 4 }],
    [
      "Anthropic's searches",
      { server_tool_use: { web_search_requests: 2 } },
      { server_tool_use: { web_search_requests: 1 } },
    ],
    ["Google's counts", { candidatesTokenCount: 9 }, { candidatesTokenCount: 4 }],
    [
      "Google's lists",
      { candidatesTokensDetails: textDetails(9) },
      { candidatesTokensDetails: textDetails(4) },
    ],
    ["Bedrock's counts", { outputTokens: 9 }, { outputTokens: 4 }],
    [
      'counts with decimals',
      parseExactJson('{ "outputTokens": 9.0 }'),
      parseExactJson('{ "outputTokens": 4.0 }'),
    ],
    ['negative counts', { outputTokens: 9 }, { outputTokens: -1 }],
  ])('keep the higher count when it decreases: %s', (_case, earlier, later) => {
    expect(merge(earlier, later)).toEqual({ usage: earlier, hasDecreased: true });
  });

  it('have no usage before the first one', () => {
    expect(merge()).toEqual({ usage: null, hasDecreased: false });
    expect(merge(undefined, null, [])).toEqual({ usage: null, hasDecreased: false });
  });

  it('accept lower counts that replace earlier ones', () => {
    const frames = createUsageFrames();
    frames.add({ input_tokens: 9, output_tokens: 4 });
    frames.replace({ input_tokens: 5 });
    frames.add({ input_tokens: 5, output_tokens: 6 });
    expect(frames.usage).toEqual({ input_tokens: 5, output_tokens: 6 });
    expect(frames.hasDecreased).toBe(false);
  });

  it('may be nested to any depth', () => {
    const nested: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);

    const { usage } = merge(
      { prompt_tokens: nested, completion_tokens: 1 },
      { prompt_tokens: nested, completion_tokens: 3 },
    );

    expect(usage?.completion_tokens).toBe(3);
  });

  it('result in the highest count of each name, in any order, and show every decrease', () => {
    const count = fc.nat(5);
    const details = fc.record({ cached_tokens: count, audio_tokens: count }, { requiredKeys: [] });
    const frame = fc.record(
      { prompt_tokens: count, completion_tokens: count, prompt_tokens_details: details },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(frame), (frames) => {
        const { usage, hasDecreased } = merge(...frames);
        const reported = frames.map(flatten);
        const names = new Set(reported.flatMap((counts) => Object.keys(counts)));
        const valuesOf = (name: string) => reported.flatMap((counts) => counts[name] ?? []);
        const highest = [...names].map((name) => [name, Math.max(...valuesOf(name))]);
        expect(flatten(usage ?? {})).toEqual(Object.fromEntries(highest));
        const hasLower = (counts: number[]) =>
          counts.some(
            (later, index) => later > 0 && counts.slice(0, index).some((earlier) => earlier > later),
          );
        expect(hasDecreased).toBe([...names].some((name) => hasLower(valuesOf(name))));
      }),
    );
  });
});

function flatten({ prompt_tokens_details: details, ...counts }: JsonObject): Record<string, number> {
  return { ...counts, ...(details as object) } as Record<string, number>;
}
