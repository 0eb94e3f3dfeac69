/** Searches the entry of a request by an id that is not its own, page by page: each has read thousands of entries. */
import type { LogParameters } from '#dashboard/api/analytics.ts';
import type { LogList } from '#lambdas/accounts/analytics/responses.ts';
import type { SearchedIds } from './request-ids.ts';

/** How far a search has come. */
export interface SearchPosition {
  /** The cursors of the next pages by field, of which the first page has an empty one; none at the end. */
  cursors: SearchedIds;
  /** `null` at the beginning and at the end. */
  searchedBackTo: string | null;
}

type ReadPage = (
  parameters: LogParameters & { cursor: string },
) => Promise<Pick<LogList, 'data' | 'next_cursor' | 'searched_back_to'>>;

export function startOfSearch(ids: SearchedIds): SearchPosition {
  const cursors = Object.fromEntries(Object.keys(ids).map((field) => [field, '']));
  return { cursors, searchedBackTo: null };
}

export function isAtEnd({ cursors }: SearchPosition): boolean {
  return Object.keys(cursors).length === 0;
}

/** Reads the next page of each field. Returns the id of the entry, or `null` with the new position. */
export async function searchOn(
  ids: SearchedIds,
  { cursors }: SearchPosition,
  readPage: ReadPage,
): Promise<{ logId: string | null; position: SearchPosition }> {
  const fields = Object.keys(cursors) as (keyof SearchedIds)[];
  const pages = await Promise.all(
    fields.map(async (field) => {
      const page = await readPage({ [field]: ids[field], limit: 1, cursor: cursors[field] ?? '' });
      return { field, page };
    }),
  );
  const next = pages.filter(({ page }) => page.next_cursor !== null);
  return {
    logId: pages.flatMap(({ page }) => page.data)[0]?.id ?? null,
    position: {
      cursors: Object.fromEntries(next.map(({ field, page }) => [field, page.next_cursor])),
      searchedBackTo:
        next
          .flatMap(({ page }) => page.searched_back_to ?? [])
          .sort()
          .at(-1) ?? null,
    },
  };
}
