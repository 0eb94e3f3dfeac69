import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';

interface SessionsSearch extends RangeSearch {
  /** The selected session. */
  session_id?: string;
}

export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const { session_id: sessionId } = search;
  const isSelected = typeof sessionId === 'string' && sessionId !== '';
  return { ...parseRangeSearch(search), session_id: isSelected ? sessionId : undefined };
}
