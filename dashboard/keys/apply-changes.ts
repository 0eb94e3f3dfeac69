import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { activeKeyQuery, type KeyListParameters, keyListsKey, keyNameQuery } from '#dashboard/api/keys.ts';
import { reloadLists } from '#dashboard/api/organizations.ts';
import type { ApiKeyList, ApiKeyName, ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { isListed } from './search.ts';

type KeyPages = InfiniteData<ApiKeyList, string>;

/** Shows created and changed keys at once, and reloads what depends on them, such as budgets and the audit trail. */
export function applyKeys(
  queryClient: QueryClient,
  organizationId: string,
  ...changed: ApiKeySummary[]
): void {
  const lists = queryClient.getQueriesData<KeyPages>({ queryKey: keyListsKey(organizationId) });
  for (const [queryKey, list] of lists) {
    // The last part of the key.
    const parameters = queryKey.at(-1) as KeyListParameters;
    if (list !== undefined) queryClient.setQueryData(queryKey, applyToList(list, parameters, changed));
  }
  for (const { id, name, last_four, state } of changed) {
    const keyName: ApiKeyName = { id, name, last_four, state };
    queryClient.setQueryData<ApiKeyName | null>(keyNameQuery(organizationId, id).queryKey, keyName);
    queryClient.removeQueries(activeKeyQuery(organizationId, id));
  }
  void reloadLists(queryClient, organizationId);
}

/** Changes, adds and removes keys, as the list has them by its search, state and order. */
export function applyToList(
  list: KeyPages,
  parameters: KeyListParameters,
  changed: readonly ApiKeySummary[],
): KeyPages {
  const byId = new Map(changed.map((apiKey) => [apiKey.id, apiKey]));
  const present = new Set(list.pages.flatMap(({ data }) => data.map(({ id }) => id)));
  const pages = list.pages.map((page) => ({
    ...page,
    data: page.data.map((apiKey) => byId.get(apiKey.id) ?? apiKey).filter((each) => isKept(each, parameters)),
  }));
  // The place of a key in another order is known to the API alone, which is read again.
  const added =
    parameters.order === undefined
      ? changed.filter((apiKey) => !present.has(apiKey.id) && isListed(apiKey, parameters))
      : [];
  return { ...list, pages: added.reduce(insertKey, pages) };

  function isKept(apiKey: ApiKeySummary, listed: KeyListParameters): boolean {
    return !byId.has(apiKey.id) || isListed(apiKey, listed);
  }
}

/** The ids of keys sort by their creation. A key that is older than those of all loaded pages is on a later one. */
function insertKey(pages: ApiKeyList[], apiKey: ApiKeySummary): ApiKeyList[] {
  const isOlder = ({ id }: ApiKeySummary) => id < apiKey.id;
  const following = pages.findIndex(({ data, next_cursor: next }) => data.some(isOlder) || next === null);
  return pages.map((page, index) => {
    if (index !== following) return page;
    const position = page.data.findIndex(isOlder);
    return { ...page, data: page.data.toSpliced(position === -1 ? page.data.length : position, 0, apiKey) };
  });
}
