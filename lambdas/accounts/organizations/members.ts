/** The members of an organization. */

import * as z from 'zod/mini';
import { holdersOf, isActiveApiKey } from '#lambdas/access/api-key.ts';
import { readBody } from '../http/request.ts';
import { jsonResponse, noContent } from '../http/response.ts';
import { revokeInvitationsOf } from '../invitations/revoke.ts';
import { type KeyRevocation, listKeyRevocations } from '../key-revocations/pending.ts';
import { isLastOwner, lastOwnerError } from '../members/end-membership.ts';
import { type Membership, memberEvent } from '../members/membership.ts';
import { findProfiles } from '../members/profiles.ts';
import { listMembershipsOfOrganization, roleChangeItems } from '../members/store.ts';
import { requirePermission } from '../organization-calls/require-membership.ts';
import { roles } from '../permissions.ts';
import {
  type OrganizationCall,
  type OrganizationDependencies,
  type OrganizationHandler,
  organizationRoute,
  type Route,
} from './call.ts';
import { findMember, type KeysOfMember, removeMember } from './remove-member.ts';
import type { Member, MemberList, MemberRemoval, MemberRemovalList } from './responses.ts';

/** `GET /dashboard/api/organizations/{organization}/members`, the oldest membership first. */
const listMembers: OrganizationHandler<MemberList> = async (call, dependencies) => {
  const memberships = await listMembershipsOfOrganization(dependencies.accounts, call.organization.id);
  const describe = await memberDescriptions(call, dependencies, memberships);
  return jsonResponse({ object: 'list', data: memberships.map(describe) });
};

/** `GET /dashboard/api/organizations/{organization}/removals`. Read again and again: the list of members also counts their keys. */
const listRemovals: OrganizationHandler<MemberRemovalList> = async ({ organization }, { directoryTable }) => {
  const revocations = await listKeyRevocations(directoryTable, organization.id);
  return jsonResponse({ object: 'list', data: revocations.map(removalSummary) });
};

function removalSummary(revocation: KeyRevocation): MemberRemoval {
  const { userId, userName, removedAt, revokedKeys, totalKeys } = revocation;
  return {
    id: userId,
    name: userName,
    removed_at: removedAt,
    revoked_keys: revokedKeys,
    total_keys: totalKeys,
  };
}

const roleBody = z.strictObject({
  role: z.enum(roles, { error: `role must be one of ${roles.join(', ')}` }),
});

/** `PATCH /dashboard/api/organizations/{organization}/members/{member}` */
const changeRole: OrganizationHandler<Member> = async (call, dependencies) => {
  const { role } = await readBody(call, roleBody);
  const { audit } = call;
  const { accounts } = dependencies;
  for (;;) {
    const membership = await findMember(call, dependencies);
    const { userId, role: before } = membership;
    if (role === 'owner' || before === 'owner') requirePermission(call, 'manage_owners');
    if (role !== before) {
      // Before anything is revoked for a change that fails.
      if (await isLastOwner(accounts, membership)) throw lastOwnerError();
      await revokeInvitationsOf(accounts, membership, { role, email: null, audit });
      const profile = (await findProfiles(accounts, [userId])).get(userId) ?? null;
      const values = { before: { role: before }, after: { role } };
      const failed = await audit.transact({
        event: memberEvent('member.role_changed', membership, profile, values),
        items: roleChangeItems(accounts, membership, role),
      });
      // The first item fails when somebody else has changed the membership.
      if (failed.includes(0)) continue;
      if (failed.length > 0) throw lastOwnerError();
    }
    const describe = await memberDescriptions(call, dependencies, [membership]);
    return jsonResponse(describe({ ...membership, role }));
  }
};

const removalBody = z.strictObject({
  keys: z.enum(['revoke', 'keep'] satisfies KeysOfMember[], { error: 'keys must be revoke or keep' }),
});

/** `DELETE /dashboard/api/organizations/{organization}/members/{member}`. Any member may leave. */
const deleteMember: OrganizationHandler<null> = async (call, dependencies) => {
  const { keys } = await readBody(call, removalBody);
  await removeMember(call, dependencies, keys);
  return noContent();
};

async function memberDescriptions(
  { organization, user }: OrganizationCall,
  dependencies: OrganizationDependencies,
  memberships: readonly Membership[],
): Promise<(membership: Membership) => Member> {
  const userIds = memberships.map(({ userId }) => userId);
  const [profileById, activeKeys] = await Promise.all([
    findProfiles(dependencies.accounts, userIds),
    countActiveKeys(dependencies, organization.id),
  ]);
  return ({ userId, role, joinedAt }) => {
    const profile = profileById.get(userId);
    return {
      id: userId,
      email: profile?.email ?? '',
      name: profile?.name ?? null,
      role,
      joined_at: joinedAt,
      current: userId === user.id,
      active_keys: activeKeys.get(userId) ?? 0,
    };
  };
}

/** By user: the active keys that the user has created, or received by a rotation. */
async function countActiveKeys(
  { directory, now }: OrganizationDependencies,
  organizationId: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const apiKey of await directory.listCurrentApiKeys(organizationId)) {
    if (!isActiveApiKey(apiKey, now())) continue;
    for (const userId of holdersOf(apiKey)) counts.set(userId, (counts.get(userId) ?? 0) + 1);
  }
  return counts;
}

export const memberRoutes: readonly Route[] = [
  organizationRoute('GET', '/members', 'view', listMembers),
  organizationRoute('PATCH', '/members/{member}', 'manage_members', changeRole),
  organizationRoute('DELETE', '/members/{member}', 'view', deleteMember),
  organizationRoute('GET', '/removals', 'view', listRemovals),
];
