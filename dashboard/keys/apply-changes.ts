import type { QueryClient } from '@tanstack/react-query';
import { keyListQuery, reloadLists } from '#dashboard/api/organizations.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

/** Shows created and changed keys at once, and reloads what depends on them, such as budgets and the audit trail. */
export function applyKeys(
  queryClient: QueryClient,
  organizationId: string,
  ...changed: ApiKeySummary[]
): void {
  queryClient.setQueryData(keyListQuery(organizationId).queryKey, (list) => {
    if (list === undefined) return list;
    const isNew = ({ id }: ApiKeySummary) => list.data.every((key) => key.id !== id);
    const present = list.data.map((key) => changed.find(({ id }) => id === key.id) ?? key);
    return { ...list, data: [...changed.filter(isNew), ...present] };
  });
  void reloadLists(queryClient, organizationId);
}
