/** Only members may call a function about an organization, and only those whose role has the permission. */
import { type DirectoryReader, exists, type Organization } from '#lambdas/access/directory.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { Membership } from '../members/membership.ts';
import { findMembership } from '../members/store.ts';
import { isAllowed, type Permission } from '../permissions.ts';

/** Throws a `GatewayError` (404) if the user is not a member. */
export async function requireMembership(
  accounts: AccountsTable,
  organizationId: string,
  userId: string,
): Promise<Membership> {
  const membership = await findMembership(accounts, organizationId, userId);
  if (membership === null) throw noOrganizationError();
  return membership;
}

export interface OrganizationMembership {
  organization: Organization;
  membership: Membership;
}

export interface MembershipDependencies {
  accounts: AccountsTable;
  directory: Pick<DirectoryReader, 'findOrganization'>;
}

/** Like `requireMembership`; also throws if the organization has been deleted. */
export async function requireOrganizationMembership(
  { accounts, directory }: MembershipDependencies,
  organizationId: string,
  userId: string,
): Promise<OrganizationMembership> {
  const [membership, organization] = await Promise.all([
    requireMembership(accounts, organizationId, userId),
    directory.findOrganization(organizationId),
  ]);
  if (!exists(organization)) throw noOrganizationError();
  return { membership, organization };
}

/** Throws a `GatewayError` (403) that names the permission. */
export function requirePermission({ membership }: { membership: Membership }, permission: Permission): void {
  if (!isAllowed(membership.role, permission)) throw permissionDeniedError(permission);
}

export function permissionDeniedError(permission: Permission): GatewayError {
  return new GatewayError('forbidden', {
    message: `Your role in this organization does not include the permission ${permission}: ask an owner`,
  });
}

/** Also for organizations of others, so that nobody learns whether they exist. */
export function noOrganizationError(): GatewayError {
  return new GatewayError('not_found', { message: 'There is no such organization among yours' });
}
