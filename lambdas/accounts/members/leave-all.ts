import { exists, type Organization, type OrganizationReader } from '#lambdas/access/directory.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { endMembership, isLastOwner } from './end-membership.ts';
import type { Membership } from './membership.ts';
import type { Profile } from './profiles.ts';
import type { MemberStore } from './store.ts';

export interface LeaveDependencies {
  members: MemberStore;
  directory: Pick<OrganizationReader, 'findOrganization'>;
  audit: AuditTrail;
}

/**
 * Ends all memberships of a user, whose keys stay. Throws a `GatewayError` (409) that names the organizations of which the
 * user is the last owner; usually nothing has changed then.
 */
export async function leaveAllOrganizations(dependencies: LeaveDependencies, user: Profile): Promise<void> {
  const { members, directory } = dependencies;
  const memberships = await members.listOfUser(user.id);
  const leaving: Departure[] = [];
  const blocking: Organization[] = [];
  for (const membership of memberships) {
    const organization = await directory.findOrganization(membership.organizationId);
    // Nobody can see a membership that was added while the organization was deleted.
    if (!exists(organization)) continue;
    leaving.push({ membership, organization });
    if (await isLastOwner(members, membership)) blocking.push(organization);
  }
  if (blocking.length > 0) throw ownerless(blocking);
  for (const departure of leaving) await leave(dependencies, departure, user);
}

interface Departure {
  membership: Membership;
  organization: Organization;
}

async function leave(
  { members, audit }: LeaveDependencies,
  { membership: first, organization }: Departure,
  profile: Profile,
): Promise<void> {
  let membership: Membership | null = first;
  while (membership !== null) {
    const result = await endMembership({ members, audit }, { membership, profile, action: 'member.left' });
    if (result === 'ended') return;
    if (result === 'last owner') throw ownerless([organization]);
    membership = await members.find(organization.id, profile.id);
  }
}

function ownerless(organizations: readonly Organization[]): GatewayError {
  const names = organizations.map(({ name }) => name).join(', ');
  return new GatewayError('conflict', {
    message: `You are the last owner of ${names}: make another member an owner, or delete the organization first`,
  });
}
