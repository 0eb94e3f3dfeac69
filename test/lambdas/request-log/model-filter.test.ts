import { describe, expect, it } from 'vitest';
import { matchesModel, modelFilters } from '#lambdas/request-log/model-filter.ts';
import { fc } from '#test/support/fast-check.ts';

describe('the filter by model and provider', () => {
  it('selects everything when neither is given', () => {
    expect(modelFilters()).toEqual([{}]);
    expect(matchesModel(modelFilters(), { model: null, provider: null })).toBe(true);
  });

  it('selects by provider, by model, and by both', () => {
    expect(modelFilters(undefined, 'groq')).toEqual([{ provider: 'groq' }]);
    expect(modelFilters('gpt-4o')).toEqual([{ model: 'gpt-4o' }]);
    expect(modelFilters('gpt-4o', 'openai')).toEqual([{ model: 'gpt-4o', provider: 'openai' }]);
  });

  it('reads a model with a slash as a name of its own and as provider and model', () => {
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

  it('takes only the first slash for the end of a provider', () => {
    expect(modelFilters('together/meta-llama/Llama-3')).toEqual([
      { model: 'together/meta-llama/Llama-3' },
      { model: 'meta-llama/Llama-3', provider: 'together' },
    ]);
    expect(modelFilters('/gpt-4o')).toEqual([{ model: '/gpt-4o' }]);
    expect(modelFilters('openai/')).toEqual([{ model: 'openai/' }]);
  });

  it('matches what has every member that the filter names', () => {
    const filters = modelFilters('openai/gpt-4o');
    const selects = (model: string | null, provider: string | null) =>
      matchesModel(filters, { model, provider });
    expect(selects('gpt-4o', 'openai')).toBe(true);
    expect(selects('openai/gpt-4o', 'openrouter')).toBe(true);
    expect(selects('openai/gpt-4o', null)).toBe(true);
    expect(selects('gpt-4o', 'openrouter')).toBe(false);
    expect(selects('gpt-4o', null)).toBe(false);
    expect(selects(null, 'openai')).toBe(false);
  });

  it('never selects the same twice', () => {
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
