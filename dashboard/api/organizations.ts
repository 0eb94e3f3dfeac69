import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { get } from './client.ts';

/** Its key begins those of all organizations: invalidate it with `exact: true` to reload the list alone. */
export const organizationListQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: ({ signal }) => get('/organizations', signal),
  staleTime: minuteMs,
});

/** The path of an organization's resource in the API, such as `/organizations/org_1/keys`. */
export function organizationPath<Resource extends string = ''>(
  organizationId: string,
  resource = '' as Resource,
): `/organizations/${string}${Resource}` {
  return `/organizations/${encodeURIComponent(organizationId)}${resource}`;
}

export function keyPath<Action extends string = ''>(
  organizationId: string,
  keyId: string,
  action = '' as Action,
): `/organizations/${string}/keys/${string}${Action}` {
  return organizationPath(organizationId, `/keys/${encodeURIComponent(keyId)}${action}`);
}

export function organizationQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId],
    queryFn: ({ signal }) => get(organizationPath(organizationId), signal),
  });
}

export function memberListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'members'],
    queryFn: ({ signal }) => get(organizationPath(organizationId, '/members'), signal),
  });
}

export function invitationListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'invitations'],
    queryFn: ({ signal }) => get(organizationPath(organizationId, '/invitations'), signal),
  });
}

export function keyListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'keys'],
    queryFn: ({ signal }) => get(organizationPath(organizationId, '/keys'), signal),
  });
}

export function budgetListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'budgets'],
    queryFn: ({ signal }) => get(organizationPath(organizationId, '/budgets'), signal),
  });
}

export function auditRecordsQuery(organizationId: string) {
  return infiniteQueryOptions({
    queryKey: ['organizations', organizationId, 'audit-records'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = cursor === '' ? '' : `?${new URLSearchParams({ cursor })}`;
      return get(organizationPath(organizationId, `/audit-records${query as ''}`), signal);
    },
    // Without a cursor, the first page.
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** Reloads what changes with keys and budgets: the lists of both, of members, and the audit trail. */
export function reloadLists(queryClient: QueryClient, organizationId: string): Promise<void> {
  return queryClient.invalidateQueries({
    queryKey: ['organizations', organizationId],
    // The organization itself has not changed.
    predicate: ({ queryKey }) => queryKey.length > 2,
  });
}
