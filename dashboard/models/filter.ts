import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';
import type { ModelsSearch } from './search.ts';

/** Each word must be a part of the name. */
export function filterModels(models: readonly ModelSummary[], search: ModelsSearch): ModelSummary[] {
  const words = (search.search ?? '').toLowerCase().split(/\s+/);
  return models.filter(
    ({ id, provider, set_up: isSetUp }) =>
      (isSetUp || search.providers === 'all') &&
      (search.provider === undefined || provider === search.provider) &&
      words.every((word) => id.toLowerCase().includes(word)),
  );
}

/** The providers of the models, and the chosen one, so that its filter can be seen and removed. */
export function providersOf(models: readonly ModelSummary[], search: ModelsSearch): string[] {
  const names = filterModels(models, { providers: search.providers }).map(({ provider }) => provider);
  return [...new Set(search.provider === undefined ? names : [...names, search.provider])].sort();
}
