import { type DirectoryReader, exists, type Organization } from '#lambdas/access/directory.ts';
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { revokeInvitationsOf } from '../invitations/revoke.ts';
import { type Membership, memberEvent } from './membership.ts';
import type { Profile } from './profiles.ts';
import { findMembership, leaveItems, listMembershipsOfOrganization, listMembershipsOfUser } from './store.ts';

interface EndingMembership {
  membership: Membership;
  /** `null` for a user whose account is deleted. */
  profile: Pick<Profile, 'name' | 'email'> | null;
  action: 'member.removed' | 'member.left';
  /** Further changes of the same transaction. */
  also?: readonly AuditedChange[];
}

/** `changed`: the membership, or what else the transaction changes, is not as it was read. Only `ended` has written anything. */
type EndingResult = 'ended' | 'changed' | 'last owner';

export async function endMembership(
  { accounts, audit }: { accounts: AccountsTable; audit: AuditTrail },
  { membership, profile, action, also = [] }: EndingMembership,
): Promise<EndingResult> {
  const items = leaveItems(accounts, membership);
  const values = { before: { role: membership.role }, after: null };
  const event = memberEvent(action, membership, profile, values);
  const failed = await audit.transact({ event, items }, ...also);
  if (failed.length === 0) return 'ended';
  const isLastOwner =
    membership.role === 'owner' && failed.every((position) => position === items.length - 1);
  return isLastOwner ? 'last owner' : 'changed';
}

/** Without a guarantee: somebody else may change it. The transaction decides. */
export async function isLastOwner(
  accounts: AccountsTable,
  { organizationId, role }: Membership,
): Promise<boolean> {
  if (role !== 'owner') return false;
  const memberships = await listMembershipsOfOrganization(accounts, organizationId);
  return memberships.filter((other) => other.role === 'owner').length === 1;
}

export function lastOwnerError(): GatewayError {
  return new GatewayError('conflict', {
    message: 'An organization needs an owner: make another member an owner first',
  });
}

export interface LeaveDependencies {
  accounts: AccountsTable;
  directory: Pick<DirectoryReader, 'findOrganization'>;
  audit: AuditTrail;
}

/**
 * Ends all memberships of a user, whose keys stay, and whose pending invitations are revoked. Throws a `GatewayError` (409) that names the organizations of which the
 * user is the last owner; usually nothing has changed then.
 */
export async function leaveAllOrganizations(dependencies: LeaveDependencies, user: Profile): Promise<void> {
  const { accounts, directory } = dependencies;
  const memberships = await listMembershipsOfUser(accounts, user.id);
  const leaving: Departure[] = [];
  const blocking: Organization[] = [];
  for (const membership of memberships) {
    const organization = await directory.findOrganization(membership.organizationId);
    // Nobody can see a membership that was added while the organization was deleted.
    if (!exists(organization)) continue;
    leaving.push({ membership, organization });
    if (await isLastOwner(accounts, membership)) blocking.push(organization);
  }
  if (blocking.length > 0) throw ownerlessError(blocking);
  for (const departure of leaving) await leave(dependencies, departure, user);
}

interface Departure {
  membership: Membership;
  organization: Organization;
}

async function leave(
  { accounts, audit }: LeaveDependencies,
  { membership: first, organization }: Departure,
  profile: Profile,
): Promise<void> {
  let membership: Membership | null = first;
  while (membership !== null) {
    await revokeInvitationsOf(accounts, membership, { role: null, email: profile.email, audit });
    const result = await endMembership({ accounts, audit }, { membership, profile, action: 'member.left' });
    if (result === 'ended') return;
    if (result === 'last owner') throw ownerlessError([organization]);
    membership = await findMembership(accounts, organization.id, profile.id);
  }
}

function ownerlessError(organizations: readonly Organization[]): GatewayError {
  const names = organizations.map(({ name }) => name).join(', ');
  return new GatewayError('conflict', {
    message: `You are the last owner of ${names}: make another member an owner, or delete the organization first`,
  });
}
