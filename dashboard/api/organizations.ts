import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { get, withParameters } from './client.ts';

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

/** The pages of a list, each of which has the cursor of the next one. */
export const pagesByCursor = {
  // Without a cursor, the first page.
  initialPageParam: '',
  getNextPageParam: ({ next_cursor: cursor }: { next_cursor: string | null }) => cursor,
};

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

export function removalListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'removals'],
    queryFn: ({ signal }) => get(organizationPath(organizationId, '/removals'), signal),
  });
}

export function invitationListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'invitations'],
    queryFn: ({ signal }) => get(organizationPath(organizationId, '/invitations'), signal),
  });
}

/** The organization's own budgets first, then those of the newest keys. */
export function budgetListQuery(organizationId: string) {
  return infiniteQueryOptions({
    queryKey: ['organizations', organizationId, 'budgets'],
    queryFn: ({ pageParam: cursor, signal }) =>
      get(withParameters(organizationPath(organizationId, '/budgets'), { cursor }), signal),
    ...pagesByCursor,
  });
}

/** The budgets of which most is spent. */
export function topBudgetsQuery(organizationId: string, limit: number) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'top-budgets', limit],
    queryFn: ({ signal }) =>
      get(withParameters(organizationPath(organizationId, '/budgets'), { order: 'spent', limit }), signal),
  });
}

/** The organization's own rate limits first, then those of the newest keys; each page has the defaults for new keys. */
export function rateLimitListQuery(organizationId: string) {
  return infiniteQueryOptions({
    queryKey: ['organizations', organizationId, 'rate-limits'],
    queryFn: ({ pageParam: cursor, signal }) =>
      get(withParameters(organizationPath(organizationId, '/rate-limits'), { cursor }), signal),
    ...pagesByCursor,
  });
}

/** Times are in RFC 3339; `end` is exclusive. */
export interface AuditFilters {
  action?: string;
  /** The id of who made the change, or a part of the name or address. */
  actor?: string;
  /** The id of what was changed, or a part of its name. */
  target?: string;
  start?: string;
  end?: string;
}

/** @param limit of a page; by default that of the API */
export function auditRecordsQuery(organizationId: string, filters: AuditFilters = {}, limit?: number) {
  return infiniteQueryOptions({
    queryKey: ['organizations', organizationId, 'audit-records', filters, limit ?? null],
    queryFn: ({ pageParam: cursor, signal }) => {
      const path = organizationPath(organizationId, '/audit-records');
      return get(withParameters(path, { ...filters, limit, cursor }), signal);
    },
    ...pagesByCursor,
  });
}

/** Reloads what changes with keys, budgets and rate limits: their lists, that of members, and the audit trail. */
export function reloadLists(queryClient: QueryClient, organizationId: string): Promise<void> {
  return queryClient.invalidateQueries({
    queryKey: ['organizations', organizationId],
    // The organization itself has not changed.
    predicate: ({ queryKey }) => queryKey.length > 2,
  });
}
