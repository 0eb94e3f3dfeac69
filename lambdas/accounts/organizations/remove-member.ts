import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createUuidV7 } from '#lambdas/platform/uuid-v7.ts';
import { revokeInvitationsOf } from '../invitations/revoke.ts';
import { pendingRevocationItem } from '../key-revocations/pending.ts';
import { revocationEvent } from '../key-revocations/revoke-keys.ts';
import { endMembership, isLastOwner, lastOwnerError } from '../members/end-membership.ts';
import type { Membership } from '../members/membership.ts';
import { findProfiles, type Profile } from '../members/profiles.ts';
import { findMembership } from '../members/store.ts';
import { requirePermission } from '../organization-calls/require-membership.ts';
import type { OrganizationCall, OrganizationDependencies } from './call.ts';

/** Whether the active keys that the member knows are revoked. */
export type KeysOfMember = 'revoke' | 'keep';

/**
 * Removes the member in the path, who may be the user. First revokes pending invitations with which the member could come back. The
 * keys are revoked afterwards: what is to be done is stored in the transaction that ends the membership. Throws a
 * `GatewayError`: 403 without permission, 404 without such a member, 409 for the last owner.
 */
export async function removeMember(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  keys: KeysOfMember,
): Promise<void> {
  const { user, audit } = call;
  const { accounts, directoryTable } = dependencies;
  for (;;) {
    const membership = await findMember(call, dependencies);
    const { userId, role } = membership;
    if (userId !== user.id) requirePermission(call, role === 'owner' ? 'manage_owners' : 'manage_members');
    if (await isLastOwner(accounts, membership)) throw lastOwnerError();
    const profile = (await findProfiles(accounts, [userId])).get(userId) ?? null;
    await revokeInvitationsOf(accounts, membership, { role: null, email: profile?.email ?? null, audit });
    const revocation =
      keys === 'revoke' ? [revocationOfKeys(directoryTable, { membership, profile, audit })] : [];
    const result = await endMembership(
      { accounts, audit },
      {
        membership,
        profile,
        action: userId === user.id ? 'member.left' : 'member.removed',
        also: revocation,
      },
    );
    if (result === 'ended') return;
    if (result === 'last owner') throw lastOwnerError();
  }
}

interface RemovedMember {
  membership: Membership;
  profile: Profile | null;
  audit: AuditTrail;
}

/** Starts the function that revokes the keys, and records the start in the audit trail. */
function revocationOfKeys(
  table: DirectoryTable,
  { membership, profile, audit }: RemovedMember,
): AuditedChange {
  const { organizationId, userId } = membership;
  const removedAt = audit.now();
  const operationId = createUuidV7(removedAt.getTime());
  const userName = profile && (profile.name ?? profile.email);
  const revocation = { userName, removedAt: removedAt.toISOString(), actor: audit.actor, operationId };
  return {
    event: revocationEvent({ organizationId, userId, userName }, null),
    items: [pendingRevocationItem(table, membership, revocation)],
    operation: { id: operationId, stage: 'started' },
  };
}

/** The member in the path. Throws a `GatewayError` (404) if there is none. */
export async function findMember(
  { organization, parameters }: OrganizationCall,
  { accounts }: Pick<OrganizationDependencies, 'accounts'>,
): Promise<Membership> {
  const membership = await findMembership(accounts, organization.id, parameters.member ?? '');
  if (membership !== null) return membership;
  throw new GatewayError('not_found', { message: 'There is no such member in this organization' });
}
