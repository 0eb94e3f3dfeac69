import { describe, expect, it } from 'vitest';
import { matchesModel, modelFilters } from '#lambdas/reports/model-filter.ts';
import { fc } from '#test/support/fast-check.ts';

describe('Filters by model and provider', () => {
  it('matches every entry without parameters', () => {
    expect(modelFilters()).toEqual([{}]);
    expect(matchesModel(modelFilters(), { model: null, provider: null })).toBe(true);
  });

  it('filters by provider, by model, and by both', () => {
    expect(modelFilters(undefined, 'groq')).toEqual([{ provider: 'groq' }]);
    expect(modelFilters('gpt-4o')).toEqual([{ model: 'gpt-4o' }]);
    expect(modelFilters('gpt-4o', 'openai')).toEqual([{ model: 'gpt-4o', provider: 'openai' }]);
  });

  it('interprets a model with a slash both as a model name and as provider and model', () => {
    expect(modelFilters('openai/gpt-4o')).toEqual([
      { model: 'openai/gpt-4o' },
      { model: 'gpt-4o', provider: 'openai' },
    ]);
    expect(modelFilters('openai/gpt-4o', 'openrouter')).toEqual([
      { model: 'openai/gpt-4o', provider: 'openrouter' },
    ]);
    expect(modelFilters('openai/gpt-4o', 'openai')).toEqual([
      { model: 'openai/gpt-4o', provider: 'openai' },
      { model: 'gpt-4o', provider: 'openai' },
    ]);
  });

  it('splits provider and model at the first slash', () => {
    expect(modelFilters('together/meta-llama/Llama-3')).toEqual([
      { model: 'together/meta-llama/Llama-3' },
      { model: 'meta-llama/Llama-3', provider: 'together' },
    ]);
    expect(modelFilters('/gpt-4o')).toEqual([{ model: '/gpt-4o' }]);
    expect(modelFilters('openai/')).toEqual([{ model: 'openai/' }]);
  });

  it('matches entries that have all values of a filter', () => {
    const filters = modelFilters('openai/gpt-4o');
    const matches = (model: string | null, provider: string | null) =>
      matchesModel(filters, { model, provider });
    expect(matches('gpt-4o', 'openai')).toBe(true);
    expect(matches('openai/gpt-4o', 'openrouter')).toBe(true);
    expect(matches('openai/gpt-4o', null)).toBe(true);
    expect(matches('gpt-4o', 'openrouter')).toBe(false);
    expect(matches('gpt-4o', null)).toBe(false);
    expect(matches(null, 'openai')).toBe(false);
  });

  it('never matches an entry with two filters', () => {
    const name = fc.constantFrom('a', 'b', 'a/b', 'a/a/b', 'b/a', '/', 'a/', '/a');
    fc.assert(
      fc.property(
        fc.option(name, { nil: undefined }),
        fc.option(name, { nil: undefined }),
        name,
        name,
        (...x) => {
          const [byModel, byProvider, model, provider] = x;
          const matching = modelFilters(byModel, byProvider).filter((filter) =>
            matchesModel([filter], { model, provider }),
          );
          expect(matching.length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});
