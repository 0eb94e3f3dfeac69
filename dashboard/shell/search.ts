/** Search parameters as plain text: `?model=openai/gpt-4o&page=2`. */
import { type GroupListSearch, parseGroupList } from '#dashboard/metrics/group-list/order.ts';
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

/** Ignores an empty parameter. */
export function textParameter(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The link of a list within a range. The parameter `name` is the item that is shown instead of the list. */
export function parseListSearch<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): RangeSearch & GroupListSearch & { [Key in Name]?: string } {
  const item = { [name]: textParameter(search[name]) } as { [Key in Name]?: string };
  return { ...parseRangeSearch(search), ...parseGroupList(search), ...item };
}
