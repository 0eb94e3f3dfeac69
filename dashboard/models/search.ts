/** Filters of the list of models, and the model whose prices are shown in full. */
export interface ModelsSearch {
  /** Part of the name. */
  search?: string;
  provider?: string;
  /** Also the models of providers that are not set up. */
  providers?: 'all';
  /** The name to call it by. */
  model?: string;
}

export function parseModelsSearch(search: Record<string, unknown>): ModelsSearch {
  return {
    search: textOf(search.search),
    provider: textOf(search.provider),
    providers: search.providers === 'all' ? 'all' : undefined,
    model: textOf(search.model),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
