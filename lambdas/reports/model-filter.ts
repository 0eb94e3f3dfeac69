/** An entry matches when every property that is set is equal. */
export interface ModelFilter {
  model?: string;
  provider?: string;
}

/**
 * Returns alternative filters for the query parameters `model` and `provider`. No entry matches more than one of them.
 *
 * Callers write a model with or without its provider: `openai/gpt-4o` means OpenAI's `gpt-4o`, and also the model
 * `openai/gpt-4o` of an aggregator such as OpenRouter.
 */
export function modelFilters(model?: string, provider?: string): ModelFilter[] {
  if (model === undefined) return [provider === undefined ? {} : { provider }];
  const filters: ModelFilter[] = [provider === undefined ? { model } : { model, provider }];
  const slash = model.indexOf('/');
  const prefix = model.slice(0, Math.max(slash, 0));
  const rest = model.slice(slash + 1);
  if (prefix !== '' && rest !== '' && (provider === undefined || provider === prefix)) {
    filters.push({ model: rest, provider: prefix });
  }
  return filters;
}

export function matchesModel(
  filters: ModelFilter[],
  { model, provider }: { model: string | null; provider: string | null },
): boolean {
  return filters.some(
    (filter) => (filter.model ?? model) === model && (filter.provider ?? provider) === provider,
  );
}
