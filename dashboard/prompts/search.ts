import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';

interface PromptsSearch extends RangeSearch {
  /** The selected prompt. */
  prompt_id?: string;
}

export function parsePromptsSearch(search: Record<string, unknown>): PromptsSearch {
  const { prompt_id: promptId } = search;
  const isSelected = typeof promptId === 'string' && promptId !== '';
  return { ...parseRangeSearch(search), prompt_id: isSelected ? promptId : undefined };
}
