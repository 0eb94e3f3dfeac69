import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { findKnownModels, isEmbeddingModel } from '#lambdas/pricing/table/known-models.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import expected from './known-models.json' with { type: 'json' };

const context = { serviceTier: null, speed: null, inferenceGeo: null, region: null };
const at = new Date('2026-11-20T12:00:00Z');
const known = (provider: string, region = 'us-east-1', day = at) =>
  findKnownModels({ provider, region, at: day });
const providers = Object.keys(providerCatalog);

describe('findKnownModels', () => {
  // When a new version of the table changes the list, check that the new names can be called, then update the file.
  it.each(Object.entries(expected))('lists the reviewed models of %s', (provider, models) => {
    expect(known(provider)).toEqual(models);
  });

  it('lists no models for providers whose model names the operator chooses, and for unknown providers', () => {
    expect(
      ['azure', 'nvidia', 'ollama', 'vllm', 'demo', 'my-openai-proxy', 'constructor'].flatMap((name) =>
        known(name),
      ),
    ).toEqual([]);
  });

  it.each(providers)('lists models of %s with a price, sorted and without duplicates', (provider) => {
    const models = known(provider);
    const unpriced = models.filter(
      (model) => priceTable.findRates({ provider, model, context, at, contextTokens: 0 }) === null,
    );

    expect(unpriced).toEqual([]);
    expect(models).toEqual([...new Set(models)].sort());
  });

  it('lists models of OpenRouter with their author', () => {
    const models = known('openrouter');

    expect(models).toEqual(expect.arrayContaining(['anthropic/claude-opus-5.5', 'openai/gpt-6-sol']));
    expect(models.filter((model) => !/^[^/]+\/[^/]+$/.test(model))).toEqual([]);
  });

  it('lists only models for chats and embeddings', () => {
    const all = providers.flatMap((provider) => known(provider));

    expect(
      all.filter((model) =>
        /tts|transcri|whisper|realtime|-live|moderation|guard-|image|ocr|rerank/i.test(model),
      ),
    ).toEqual([]);
  });

  it('lists embedding models, whose output has no price', () => {
    const embedding = providers.map((provider) => [provider, known(provider).filter(isEmbeddingModel)]);

    expect(Object.fromEntries(embedding.filter(([, models]) => models?.length))).toEqual({
      openai: ['text-embedding-3-large', 'text-embedding-3-small', 'text-embedding-ada-002'],
      google: ['gemini-embedding-001', 'gemini-embedding-2'],
      bedrock: ['amazon.titan-embed-text-v1'],
      mistral: ['mistral-embed'],
      cohere: ['embed-v4.0'],
    });
  });

  it('removes a model on the day on which its provider shuts it down', () => {
    const listed = (day: string) => known('openai', 'us-east-1', new Date(day)).includes('gpt-4o-mini');

    expect([listed('2027-01-13T23:59:59Z'), listed('2027-01-14T00:00:00Z')]).toEqual([true, false]);
  });

  it.each([
    ['eu-central-1', ['eu', 'global']],
    ['us-west-2', ['global', 'us']],
    ['ap-northeast-1', ['apac', 'global', 'jp']],
    ['ap-southeast-2', ['apac', 'au', 'global']],
    ['ap-south-1', ['apac', 'global']],
    ['ca-central-1', ['global']],
    ['us-gov-west-1', []],
  ])('lists models of Bedrock in %s with the inference profiles %j', (region, geographies) => {
    const prefixes = known('bedrock', region).map((name) => name.split('.')[0] ?? '');
    const authors = ['amazon', 'google', 'meta', 'mistral', 'nvidia', 'openai', 'qwen'];

    expect([...new Set(prefixes)].filter((prefix) => !authors.includes(prefix))).toEqual(geographies);
  });
});
