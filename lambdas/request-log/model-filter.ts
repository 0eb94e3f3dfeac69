/** What the query parameters `model` and `provider` select, in logs and in costs alike. */

/** Each member that is set has to be equal. */
export interface ModelFilter {
  model?: string;
  provider?: string;
}

/**
 * The filters of which one has to match; nothing matches two.
 *
 * A model is named with or without its provider: `openai/gpt-4o` is OpenAI's gpt-4o, and also the model of that
 * very name that an aggregator such as OpenRouter serves.
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

/** Whether any of the filters matches. */
export function matchesModel(
  filters: ModelFilter[],
  { model, provider }: { model: string | null; provider: string | null },
): boolean {
  return filters.some(
    (filter) => (filter.model ?? model) === model && (filter.provider ?? provider) === provider,
  );
}
