import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { findKnownModels } from '#lambdas/pricing/known-models.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import expected from './known-models.json' with { type: 'json' };

const at = new Date('2026-11-20T12:00:00Z');
const known = (provider: string, region = 'us-east-1', day = at) =>
  findKnownModels({ provider, region, at: day });
const providers = Object.keys(providerCatalog);

describe('the known models', () => {
  // The table changes with each version: look up whether the new names can be called, then change the file.
  it.each(Object.entries(expected))('of %s are those that somebody has looked at', (provider, models) => {
    expect(known(provider)).toEqual(models);
  });

  it('are none where the caller writes a name of the operator', () => {
    expect(
      ['azure', 'nvidia', 'ollama', 'vllm', 'demo', 'my-openai-proxy', 'constructor'].flatMap((name) =>
        known(name),
      ),
    ).toEqual([]);
  });

  it.each(providers)('of %s have a price, each once and in order', (provider) => {
    const models = known(provider);
    const unpriced = models.filter(
      (model) => priceTable.ratesOf({ provider, model, at, inputTokens: 0 }) === null,
    );

    expect(unpriced).toEqual([]);
    expect(models).toEqual([...new Set(models)].sort());
  });

  it('of OpenRouter begin with their authors', () => {
    const models = known('openrouter');

    expect(models).toEqual(expect.arrayContaining(['anthropic/claude-opus-5.5', 'openai/gpt-6-sol']));
    expect(models.filter((model) => !/^[^/]+\/[^/]+$/.test(model))).toEqual([]);
  });

  it('answer chats and nothing else', () => {
    const all = providers.flatMap((provider) => known(provider));

    expect(
      all.filter((model) =>
        /embed|tts|transcri|whisper|realtime|-live|moderation|guard-|image|ocr|rerank/i.test(model),
      ),
    ).toEqual([]);
  });

  it('go on the day on which their provider shuts them down', () => {
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
  ])('of Bedrock in %s are called there, through the profiles of %j', (region, geographies) => {
    const prefixes = known('bedrock', region).map((name) => name.split('.')[0] ?? '');
    const authors = ['google', 'meta', 'mistral', 'nvidia', 'openai', 'qwen'];

    expect([...new Set(prefixes)].filter((prefix) => !authors.includes(prefix))).toEqual(geographies);
  });
});
