/**
 * Embeddings with the clients that people use, unchanged: only the model's name changes between providers. `providers.test.ts`
 * runs these tests with its gateway and its fake providers.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embed, embedMany } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { LocalGateway } from '#local/local-gateway.ts';
import { eventually } from '#test/support/eventually.ts';
import { schemaErrors, schemaPointer } from '#test/support/openapi.ts';
import { simulatedNumbers, sumTokens } from '#test/support/providers/simulated-vectors.ts';
import { byTestForm } from '#test/support/test-form.ts';

/** With the size of each model's vectors. */
const models = [
  ['openai/text-embedding-3-small', 1536],
  ['azure/text-embedding-3-large', 3072],
  ['mistral/mistral-embed', 1024],
  ['nvidia/nvidia/nv-embedqa-e5-v5', 1024],
  ['google/gemini-embedding-001', 3072],
  ['google/gemini-embedding-2', 3072],
  ['bedrock/amazon.titan-embed-text-v2:0', 1024],
  ['bedrock/us.cohere.embed-v4:0', 1536],
  ['cohere/embed-v4.0', 1536],
  ['vllm/bge-m3', 1024],
] as const;

/** These do not report their usage, as the real ones. */
const withoutUsage: readonly string[] = ['google/gemini-embedding-001', 'vllm/bge-m3'];

const texts = ['Say hello', 'Grüße aus Oslo 🙂', 'a third text'];

const providerOf = (model: string) => model.slice(0, model.indexOf('/'));

/** `startedGateway` is called in tests, when the gateway has started. */
export function describeEmbeddings(startedGateway: () => LocalGateway): void {
  const openai = (apiKey = startedGateway().apiKey) =>
    new OpenAI({ baseURL: `${startedGateway().chatUrl}/ai`, apiKey, maxRetries: 0 });

  describe.each(models)('of %s', (model, size) => {
    const expected = texts.map((text) => simulatedNumbers(text, size));

    it('have every bit in the OpenAI client, which asks for base64', async () => {
      const { data, usage } = await openai().embeddings.create({ model, input: texts });

      expect(data.map(({ embedding }) => embedding)).toEqual(expected);
      expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(usage?.prompt_tokens).toBe(withoutUsage.includes(model) ? undefined : sumTokens(texts));
    });

    it('have every bit in the OpenAI client as floats, with a log entry', async () => {
      const { data: list, response } = await openai()
        .embeddings.create({ model, input: texts, encoding_format: 'float' })
        .withResponse();

      expect(list.data.map(({ embedding }) => embedding)).toEqual(expected);
      const id = response.headers.get('x-gateway-request-id');
      await eventually(async () => {
        const { baseUrl, apiKey } = startedGateway();
        const headers = { authorization: `Bearer ${apiKey}` };
        const entry = await fetch(`${baseUrl}/api/logs/${id}`, { headers });
        const body = await entry.json();
        expect(body).toMatchObject({
          operation: 'embeddings',
          provider: providerOf(model),
          outcome: 'completed',
          output_tokens: 0,
          usage_source: withoutUsage.includes(model) ? 'estimated' : 'provider',
          provider_calls: model.includes('titan') ? 3 : null,
        });
        expect(schemaErrors(body, schemaPointer('LogEntry'))).toEqual([]);
      });
    });

    it('have every bit in the AI SDK', async () => {
      const { baseUrl, apiKey } = startedGateway();
      const baseURL = `${baseUrl}/ai/v1`;
      const embeddingModel = createOpenAICompatible({ name: 'gateway', baseURL, apiKey }).embeddingModel(
        model,
      );

      const { embedding } = await embed({ model: embeddingModel, value: 'Say hello', maxRetries: 0 });
      const { embeddings } = await embedMany({ model: embeddingModel, values: texts, maxRetries: 0 });

      expect(embedding).toEqual(expected[0]);
      expect(embeddings).toEqual(expected);
    });

    it('have every bit in LangChain', async () => {
      const { chatUrl, apiKey } = startedGateway();
      const configuration = { baseURL: `${chatUrl}/ai` };
      const embeddings = new OpenAIEmbeddings({ model, apiKey, configuration, maxRetries: 0 });

      expect(await embeddings.embedQuery('Say hello')).toEqual(expected[0]);
      expect(await embeddings.embedDocuments(texts)).toEqual(expected);
    });
  });

  it.each([
    'openai/text-embedding-3-small',
    'mistral/codestral-embed',
    'google/gemini-embedding-2',
    'cohere/embed-v4.0',
  ])('have the size that was asked for: %s', async (model) => {
    const { data } = await openai().embeddings.create({ model, input: 'Say hello', dimensions: 256 });

    expect(data.map(({ embedding }) => embedding)).toEqual([simulatedNumbers('Say hello', 256)]);
  });

  it('of tokens are forwarded', async () => {
    const { data, usage } = await openai().embeddings.create({
      model: 'openai/text-embedding-3-small',
      input: [[1, 2], [3]],
    });

    expect(data.map(({ embedding }) => embedding)).toEqual(
      ['[1,2]', '[3]'].map((tokens) => simulatedNumbers(tokens, 1536)),
    );
    expect(usage.prompt_tokens).toBe(3);
  });

  it('have errors of the classes of the OpenAI client', async () => {
    const create = (model: string, fields: object = {}, apiKey?: string) =>
      openai(apiKey).embeddings.create({ model, input: 'Say hello', ...fields });

    await expect(create('openai/text-embedding-3-small', {}, 'pt_live_wrong')).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    await expect(create('openai/text-embedding-3-small', { input: '' })).rejects.toMatchObject({
      status: 400,
      param: 'input',
      message: "400 '$.input' is invalid.",
    });
    await expect(create('bedrock/amazon.titan-embed-text-v2:0', { dimensions: 300 })).rejects.toMatchObject({
      status: 400,
      param: 'dimensions',
    });
    await expect(create('google/gemini-2.5-flash')).rejects.toMatchObject({
      status: 400,
      code: 'model_not_found',
      param: 'model',
    });
    await expect(create('cohere/embed-v4.0', { input_type: 'nonsense' })).rejects.toMatchObject({
      status: 400,
      param: 'input_type',
    });
    await expect(create('anthropic/claude-sonnet-4-5')).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  it.each(byTestForm({ short: ['base64'] as const, long: ['base64', 'float'] as const }))(
    'of 2,048 texts in 5 MB are 2,048 vectors of 3,072 floats, as %s',
    async (encoding_format) => {
      const input = Array.from({ length: 2048 }, (_, index) => `text ${index} `.padEnd(2_400, 'x'));
      const body = { model: 'openai/text-embedding-3-large', input, encoding_format };
      expect(JSON.stringify(body).length).toBeGreaterThan(4_900_000);

      const { chatUrl, apiKey } = startedGateway();
      const response = await fetch(`${chatUrl}/ai/embeddings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();

      expect(response.status).toBe(200);
      const list: OpenAI.CreateEmbeddingResponse = JSON.parse(text);
      expect(list.data).toHaveLength(2048);
      for (const [index, item] of list.data.entries()) {
        const received: unknown = item.embedding;
        const numbers =
          typeof received === 'string'
            ? Array.from(new Float32Array(Uint8Array.from(Buffer.from(received, 'base64')).buffer))
            : received;
        if (index % 256 === 0 || index === 2047)
          expect(numbers).toEqual(simulatedNumbers(input[index] ?? '', 3072));
      }
      expect(text.length).toBeGreaterThan(33_000_000);
    },
  );
}
