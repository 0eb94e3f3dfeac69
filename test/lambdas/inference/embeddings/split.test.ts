import { describe, expect, it } from 'vitest';
import { parseEmbeddingsRequest } from '#lambdas/inference/embeddings/request.ts';
import { splitInput } from '#lambdas/inference/embeddings/split.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';

const settings = { 'my-llm': { baseUrl: 'https://llm.example.com/v1' } };
const registry = createProviderRegistry(settings, exampleClientOptions);

function split(model: string, input: unknown) {
  return splitInput(
    parseEmbeddingsRequest(JSON.stringify({ model, input, dimensions: 8 })),
    registry.resolve(model),
  );
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

const limits = [
  ['google/gemini-embedding-001', 100],
  ['cohere/embed-v4.0', 96],
  ['bedrock/cohere.embed-english-v3', 96],
  ['bedrock/us.cohere.embed-v4:0', 96],
  ['bedrock/amazon.titan-embed-text-v2:0', 1],
] as const;

describe('Embeddings requests', () => {
  it.each(['openai/text-embedding-3-small', 'mistral/mistral-embed', 'my-llm/bge-m3'])(
    'are not split for %s, which takes what clients of OpenAI send',
    (model) => {
      expect(split(model, texts(2048))).toBeNull();
      expect(split(model, [[1, 2], [3]])).toBeNull();
    },
  );

  it.each(limits)('for %s have at most %i texts in a call', (model, limit) => {
    const sizes = (count: number) =>
      split(model, texts(count))?.map(({ input }) => input.kind === 'texts' && input.texts.length);

    expect(sizes(1)).toEqual([1]);
    expect(sizes(limit)).toEqual([limit]);
    expect(sizes(limit + 1)).toEqual([limit, 1]);
    expect(sizes(64 * limit)).toEqual(Array.from({ length: 64 }, () => limit));
  });

  it.each(limits)('for %s take at most 64 calls of %i', (model, limit) => {
    const perCall = limit === 1 ? 'one text' : `${limit} texts`;

    expect(() => split(model, texts(64 * limit + 1))).toThrow(
      expect.objectContaining({
        code: 'invalid_request_error',
        status: 400,
        param: 'input',
        message: `input has ${64 * limit + 1} texts, but this model takes ${perCall} in a call and the gateway makes at most 64 calls for a request: send at most ${64 * limit} texts`,
      }),
    );
  });

  it('must be texts to be split', () => {
    expect(() => split('google/gemini-embedding-001', [[1]])).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'input' }),
    );
  });

  it('keep their texts in order, with the position of the first, and their options', () => {
    fc.assert(
      fc.property(fc.constantFrom(...limits), fc.nat(400), ([model, limit], extra) => {
        const input = texts(Math.min(1 + extra, 64 * limit));
        const parts = split(model, input) ?? [];

        const textsOfPart = parts.map((part) => (part.input.kind === 'texts' ? part.input.texts : []));
        expect(textsOfPart.flat()).toEqual(input);
        expect(parts.map(({ firstIndex }) => input[firstIndex])).toEqual(textsOfPart.map(([first]) => first));
        expect(new Set(parts.map(({ dimensions }) => dimensions))).toEqual(new Set([8]));
      }),
      { numRuns: 30 },
    );
  });
});
