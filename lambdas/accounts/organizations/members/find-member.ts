import type { Membership } from '#lambdas/accounts/members/membership.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { OrganizationCall } from '../call.ts';
import type { OrganizationServices } from '../services.ts';

/** The member in the path. Throws a `GatewayError` (404) if there is none. */
export async function findMember(
  { organization, parameters }: OrganizationCall,
  { members }: Pick<OrganizationServices, 'members'>,
): Promise<Membership> {
  const membership = await members.find(organization.id, parameters.member ?? '');
  if (membership !== null) return membership;
  throw new GatewayError('not_found', { message: 'There is no such member in this organization' });
}
