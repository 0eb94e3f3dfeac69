import { createContext, useContext } from 'react';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';

/** Set by the route around the views of an organization, which loads it. */
export const OrganizationContext = createContext<OrganizationDetails | null>(null);

/** Returns the organization whose view this is, with the role of the user. */
export function useOrganization(): OrganizationDetails {
  const organization = useContext(OrganizationContext);
  if (organization === null)
    throw new Error('useOrganization must be used within the routes of an organization');
  return organization;
}
