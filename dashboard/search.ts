/** Search parameters as plain text: `?model=openai/gpt-4o&page=2`. */
import { isMonth } from '#dashboard/billing/months.ts';
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return query.size > 0 ? `?${query}` : '';
}

interface BillingSearch {
  /** The month that is shown in detail, such as `2026-11`; the present month if it is missing. */
  month?: string;
}

export function parseBillingSearch({ month }: Record<string, unknown>): BillingSearch {
  return { month: isMonth(month) ? month : undefined };
}

interface PromptsSearch extends RangeSearch {
  /** The selected prompt. */
  prompt_id?: string;
}

export function parsePromptsSearch(search: Record<string, unknown>): PromptsSearch {
  const { prompt_id: promptId } = search;
  const isSelected = typeof promptId === 'string' && promptId !== '';
  return { ...parseRangeSearch(search), prompt_id: isSelected ? promptId : undefined };
}

interface SessionsSearch extends RangeSearch {
  /** The selected session. */
  session_id?: string;
}

export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const { session_id: sessionId } = search;
  const isSelected = typeof sessionId === 'string' && sessionId !== '';
  return { ...parseRangeSearch(search), session_id: isSelected ? sessionId : undefined };
}
