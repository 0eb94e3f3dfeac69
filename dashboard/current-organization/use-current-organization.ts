import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { organizationListQuery } from '#dashboard/api/queries.ts';
import type { OrganizationSummary } from '#lambdas/accounts/organizations/responses.ts';
import { currentOrganization, lastUsedOrganization } from './last-used.ts';

/**
 * Returns the organization of the view, or the last used one beside the views of the account; null without any, undefined
 * while the list is not loaded.
 */
export function useCurrentOrganization(): OrganizationSummary | null | undefined {
  const { data: list } = useQuery(organizationListQuery);
  const { organizationId } = useParams({ strict: false });
  return list && currentOrganization(list.data, organizationId, lastUsedOrganization());
}
