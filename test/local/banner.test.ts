import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { findKnownModels } from '#lambdas/pricing/known-models.ts';
import { exampleModel } from '#local/banner.ts';

/** Where the table knows no models, or not by the names that a caller has: nobody can tell whether one is still there. */
const withoutList = ['azure', 'nvidia', 'ollama', 'vllm'];

describe('the example that npm start prints', () => {
  it.each(Object.keys(providerCatalog).filter((name) => !withoutList.includes(name)))(
    'names a model that %s has',
    (provider) => {
      const models = findKnownModels({ provider, region: 'us-east-1', at: new Date('2026-11-20') });

      expect(models.map((model) => `${provider}/${model}`)).toContain(exampleModel([provider]));
    },
  );

  it('says where the model has to stand when it knows none', () => {
    expect(exampleModel(['vllm'])).toBe('vllm/<model>');
  });
});
