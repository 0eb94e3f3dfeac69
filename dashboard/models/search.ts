import { textParameter } from '#dashboard/shell/search.ts';

/** Filters of the list of models, and the model whose prices are shown in full. */
export interface ModelsSearch {
  /** Part of the name. */
  search?: string;
  provider?: string;
  /** Also the models of providers that are not set up. */
  providers?: 'all';
  /** The name to call it by. It is listed also if its provider is not set up. */
  model?: string;
}

export function parseModelsSearch(search: Record<string, unknown>): ModelsSearch {
  return {
    search: textParameter(search.search),
    provider: textParameter(search.provider),
    providers: search.providers === 'all' ? 'all' : undefined,
    model: textParameter(search.model),
  };
}
