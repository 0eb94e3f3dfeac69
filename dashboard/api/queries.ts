import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  ApiKeyList,
  AuditRecordList,
  BudgetList,
  InvitationList,
  MemberList,
  OrganizationDetails,
  OrganizationList,
} from '#lambdas/accounts/organizations/responses.ts';
import type { Account, Session, SessionList, SignInOptions } from '#lambdas/accounts/sign-in/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { get } from './client.ts';

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => get<SignInOptions>('/sign-in-options', signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Session>('/session', signal),
  staleTime: minuteMs,
});

export const sessionListQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<SessionList>('/sessions', signal),
});

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<Account>('/account', signal),
});

/** Its key begins those of all organizations: invalidate it with `exact: true` to reload the list alone. */
export const organizationListQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: ({ signal }) => get<OrganizationList>('/organizations', signal),
  staleTime: minuteMs,
});

/** The path of an organization's resource in the API, such as `/organizations/org_1/keys`. */
export function organizationPath(organizationId: string, resource = ''): string {
  return `/organizations/${encodeURIComponent(organizationId)}${resource}`;
}

export function organizationQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId],
    queryFn: ({ signal }) => get<OrganizationDetails>(organizationPath(organizationId), signal),
  });
}

export function memberListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'members'],
    queryFn: ({ signal }) => get<MemberList>(organizationPath(organizationId, '/members'), signal),
  });
}

export function invitationListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'invitations'],
    queryFn: ({ signal }) => get<InvitationList>(organizationPath(organizationId, '/invitations'), signal),
  });
}

export function keyListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'keys'],
    queryFn: ({ signal }) => get<ApiKeyList>(organizationPath(organizationId, '/keys'), signal),
  });
}

export function budgetListQuery(organizationId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'budgets'],
    queryFn: ({ signal }) => get<BudgetList>(organizationPath(organizationId, '/budgets'), signal),
  });
}

export function auditRecordsQuery(organizationId: string) {
  return infiniteQueryOptions({
    queryKey: ['organizations', organizationId, 'audit-records'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = cursor === '' ? '' : `?${new URLSearchParams({ cursor })}`;
      return get<AuditRecordList>(organizationPath(organizationId, `/audit-records${query}`), signal);
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
