import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';

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
