import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';

/** The organization whose view was shown last, with which the dashboard opens. */
const storageKey = 'organization';

/**
 * Returns the organization of the view, or the last used one beside the views of the account; `null` without any, `undefined`
 * while the list is not loaded.
 */
export function useCurrentOrganization(): OrganizationSummary | null | undefined {
  const { data: list } = useQuery(organizationListQuery);
  const { organizationId } = useParams({ strict: false });
  return list && currentOrganization(list.data, organizationId, lastUsedOrganization());
}

export function lastUsedOrganization(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // Without storage, the dashboard opens with the first organization.
    return null;
  }
}

export function rememberOrganization(organizationId: string): void {
  try {
    localStorage.setItem(storageKey, organizationId);
  } catch {
    // As above.
  }
}

/** Returns the first of the ids that is the user's organization, otherwise the user's first one; `null` without any. */
export function currentOrganization(
  organizations: readonly OrganizationSummary[],
  ...ids: (string | null | undefined)[]
): OrganizationSummary | null {
  for (const id of ids) {
    const found = organizations.find((organization) => organization.id === id);
    if (found) return found;
  }
  return organizations[0] ?? null;
}
