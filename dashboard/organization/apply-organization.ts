/** Changes to the stored organizations, so that the switcher and the views follow at once. */
import type { QueryClient } from '@tanstack/react-query';
import { organizationListQuery, organizationQuery } from '#dashboard/api/organizations.ts';
import type { OrganizationDetails, OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';

/** Stores an organization that the user has created or changed. */
export function applyOrganization(queryClient: QueryClient, organization: OrganizationDetails): void {
  queryClient.setQueryData(organizationQuery(organization.id).queryKey, organization);
  applyListedOrganization(queryClient, organization);
}

/** Adds an organization to the user's list, or updates it there. */
export function applyListedOrganization(
  queryClient: QueryClient,
  { id, name, role }: OrganizationSummary,
): void {
  const summary = { id, name, role };
  queryClient.setQueryData(organizationListQuery.queryKey, (list) => {
    if (list === undefined) return list;
    const isListed = list.data.some((each) => each.id === id);
    const data = isListed
      ? list.data.map((each) => (each.id === id ? summary : each))
      : [...list.data, summary];
    return { ...list, data };
  });
}

/**
 * Takes an organization out of the user's list.
 *
 * @param leaveViews navigates away from its views, which cannot be loaded any more
 */
export async function applyRemovedOrganization(
  queryClient: QueryClient,
  organizationId: string,
  leaveViews: () => Promise<void>,
): Promise<void> {
  queryClient.setQueryData(
    organizationListQuery.queryKey,
    (list) => list && { ...list, data: list.data.filter(({ id }) => id !== organizationId) },
  );
  await leaveViews();
  queryClient.removeQueries(organizationQuery(organizationId));
}
