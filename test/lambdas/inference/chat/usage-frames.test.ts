/** Streams that report their usage in parts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import {
  chunksWithUsage,
  splitGeminiUsage,
  splitMessageUsage,
  splitUsage,
} from '#test/support/providers/dialects/usage.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

const forms = [true, false];

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const counts = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 };
const completed = { outcome: 'completed', finish_reason: 'stop', error_code: null };
const reported = (costUsd: string) => ({
  caller: { status: 200, content: 'Hello there', finish: 'stop', usage: counts, done: true },
  entry: {
    ...completed,
    usage_source: 'provider',
    usage_warnings: null,
    input_tokens: 1000,
    output_tokens: 5,
    total_tokens: 1005,
    cost_usd: costUsd,
    pricing: 'table',
  },
});

describe('The usage of a stream', () => {
  it.each(Object.entries(splitUsage))("in OpenAI's format is merged: %s", async (_, frames) => {
    for (const stream of forms) {
      const respond = streamResponse(chunksWithUsage(frames));
      // 1000 × $0.15 + 5 × $0.6 per million.
      expect(await gateway.ask({ protocol: 'openai', stream, respond })).toMatchObject(reported('0.000153'));
    }
  });

  it.each(Object.entries(splitMessageUsage))('of Anthropic is merged: %s', async (_, [start, end]) => {
    const { encode, terminator } = responseFormats.anthropic;
    const delta = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'Hello there' },
    };
    const events = [start ?? {}, delta, end ?? {}].map(encode);
    for (const stream of forms) {
      const respond = streamResponse([...events, terminator ?? '']);
      // 1000 × $3 + 5 × $15 per million.
      expect(await gateway.ask({ protocol: 'anthropic', stream, respond })).toMatchObject(
        reported('0.003075'),
      );
    }
  });

  it.each(Object.entries(splitGeminiUsage))('of Gemini is merged: %s', async (_, chunks) => {
    for (const stream of forms) {
      const respond = streamResponse(chunks.map(responseFormats.google.encode));
      // 1000 × $0.3 + 5 × $2.5 per million.
      expect(await gateway.ask({ protocol: 'google', stream, respond })).toMatchObject(reported('0.0003125'));
    }
  });

  it('is not sent to a caller who did not ask for it', async () => {
    const frames = splitUsage['the input first and the output last'] ?? [];
    const { text, entry } = await gateway.ask({
      protocol: 'openai',
      stream: true,
      respond: streamResponse(chunksWithUsage(frames)),
      fields: { stream_options: { include_usage: false } },
    });
    expect(text).not.toContain('"choices":[]');
    expect(entry).toMatchObject({ usage_source: 'provider', input_tokens: 1000, output_tokens: 5 });
  });

  it('is incomplete without one of the counts', async () => {
    for (const [frames, tokens] of [
      [
        [{ prompt_tokens: 1000 }],
        // At $0.15 per million.
        { input_tokens: 1000, output_tokens: 0, missing_usage: ['output_tokens'], cost_usd: '0.00015' },
      ],
      // At $0.6 per million.
      [
        [undefined, { completion_tokens: 5 }],
        { input_tokens: 0, output_tokens: 5, missing_usage: ['input_tokens'], cost_usd: '0.000003' },
      ],
      [
        [undefined, undefined, { prompt_tokens: null, completion_tokens: 5 }],
        { input_tokens: 0, output_tokens: 5, missing_usage: ['input_tokens'], cost_usd: '0.000003' },
      ],
    ] as const) {
      for (const stream of forms) {
        const respond = streamResponse(chunksWithUsage(frames));
        const { caller, entry } = await gateway.ask({ protocol: 'openai', stream, respond });
        expect(caller).toMatchObject({ status: 200, content: 'Hello there', done: true });
        expect(entry).toMatchObject({
          ...completed,
          ...tokens,
          usage_source: 'incomplete',
          pricing: 'assumed',
        });
      }
    }
  });
});

describe('The cost that OpenRouter reports', () => {
  it.each([
    ['with the counts', [undefined, undefined, { ...counts, cost: 0.25 }]],
    ['after the counts', [undefined, counts, { cost: 0.25 }]],
    ['before the counts', [{ cost: 0.25 }, undefined, counts]],
    ['beside zeros', [undefined, counts, { prompt_tokens: 0, completion_tokens: 0, cost: 0.25 }]],
    ['and then reports as 0', [undefined, { ...counts, cost: 0.25 }, { ...counts, cost: 0 }]],
  ] as const)('%s is that of the entry, with the counts', async (_, frames) => {
    for (const stream of forms) {
      const { caller, entry } = await gateway.ask({
        protocol: 'openai',
        stream,
        respond: streamResponse(chunksWithUsage(frames)),
        fields: { model: 'openrouter/openai/gpt-4o-mini' },
      });
      expect(caller).toMatchObject({ status: 200, usage: counts, done: true });
      expect(entry).toMatchObject({
        ...completed,
        usage_source: 'provider',
        input_tokens: 1000,
        output_tokens: 5,
        cost_usd: '0.25',
        pricing: 'provider',
      });
    }
  });
});
