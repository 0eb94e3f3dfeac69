import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { findKnownModels } from '#lambdas/pricing/table/known-models.ts';
import { exampleModel } from '#local/banner.ts';

/** Providers whose models are not in the price table, or not under the names that callers use. */
const withoutModelList = ['azure', 'nvidia', 'ollama', 'vllm'];

describe('exampleModel', () => {
  it.each(Object.keys(providerCatalog).filter((name) => !withoutModelList.includes(name)))(
    'returns an existing model of %s',
    (provider) => {
      const models = findKnownModels({ provider, region: 'us-east-1', at: new Date('2026-11-20') });

      expect(models.map((model) => `${provider}/${model}`)).toContain(exampleModel([provider]));
    },
  );

  it('returns a placeholder for a provider without a known model', () => {
    expect(exampleModel(['vllm'])).toBe('vllm/<model>');
  });
});
