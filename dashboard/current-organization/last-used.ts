/** Remembers the organization whose view was shown last, so that the dashboard opens there. */
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';

const storageKey = 'organization';

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

/** Returns the first of the ids that is the user's organization, otherwise the user's first one; null without any. */
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
