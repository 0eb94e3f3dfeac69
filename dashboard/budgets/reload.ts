import type { QueryClient } from '@tanstack/react-query';

/** Reloads what changes with keys and budgets: the lists of both, of members, and the audit trail. */
export function reloadLists(queryClient: QueryClient, organizationId: string): Promise<void> {
  return queryClient.invalidateQueries({
    queryKey: ['organizations', organizationId],
    // The organization itself has not changed.
    predicate: ({ queryKey }) => queryKey.length > 2,
  });
}
