import type { ApiKey } from '#lambdas/access/directory.ts';
import type { AuditedChange } from '#lambdas/audit/audit-trail.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { invitationsOfMember } from '../invitations/revoke.ts';
import { endMembership, isLastOwner, lastOwnerError } from '../members/end-membership.ts';
import { listActiveKeysOf } from '../members/member-keys.ts';
import type { Membership } from '../members/membership.ts';
import { findProfiles } from '../members/profiles.ts';
import { findMembership } from '../members/store.ts';
import { requirePermission } from '../organization-calls/require-membership.ts';
import type { OrganizationCall, OrganizationDependencies } from './call.ts';

/** Whether the active keys that the member knows are revoked. */
export type KeysOfMember = 'revoke' | 'keep';

/** In a transaction, with their audit records. It also has room for the membership, its record and the conditions. */
const maxRevocationItems = 80;
/** The invitation, its address and the audit record. */
const itemsPerInvitation = 3;
/** The key and the audit record. */
const itemsPerKey = 2;

interface FoundKeys {
  apiKeys: readonly ApiKey[];
  /** Fails if the organization has created a key since. */
  isComplete: readonly TransactItem[];
}

const noKeys: FoundKeys = { apiKeys: [], isComplete: [] };

/**
 * Removes the member in the path, who may be the user. Revokes pending invitations with which the member could come back, and
 * the keys, in the same transaction, or before it if they are too many: none of them outlives the membership. Throws a
 * `GatewayError`: 403 without permission, 404 without such a member, 409 for the last owner.
 */
export async function removeMember(
  call: OrganizationCall,
  dependencies: OrganizationDependencies,
  keys: KeysOfMember,
): Promise<void> {
  const { user, audit } = call;
  const { accounts } = dependencies;
  for (;;) {
    const membership = await findMember(call, dependencies);
    const { userId, role } = membership;
    if (userId !== user.id) requirePermission(call, role === 'owner' ? 'manage_owners' : 'manage_members');
    if (await isLastOwner(accounts, membership)) throw lastOwnerError();
    const profile = (await findProfiles(accounts, [userId])).get(userId) ?? null;
    const invitations = await invitationsOfMember(accounts, membership, {
      email: profile?.email ?? null,
      audit,
    });
    const found = keys === 'revoke' ? await findKeys(call, dependencies, membership) : noKeys;
    const revocationItems =
      invitations.revocations.length * itemsPerInvitation + found.apiKeys.length * itemsPerKey;
    if (revocationItems > maxRevocationItems || found.apiKeys.length > 0) {
      await revokeOneByOne(call, dependencies, invitations.revocations, found.apiKeys);
      continue;
    }
    const result = await endMembership(
      { accounts, audit },
      {
        membership,
        profile,
        action: userId === user.id ? 'member.left' : 'member.removed',
        also: [...invitations.revocations],
        conditions: [invitations.isComplete, ...found.isComplete],
      },
    );
    if (result === 'ended') return;
    if (result === 'last owner') throw lastOwnerError();
  }
}

async function findKeys(
  { audit }: OrganizationCall,
  { directory }: OrganizationDependencies,
  membership: Membership,
): Promise<FoundKeys> {
  const apiKeys = await listActiveKeysOf(directory, membership, audit.now());
  return { apiKeys, isComplete: [] };
}

/** Invitations and keys that have changed in the meantime are found again. */
async function revokeOneByOne(
  { organization, audit }: OrganizationCall,
  { directory }: OrganizationDependencies,
  invitations: readonly AuditedChange[],
  apiKeys: readonly ApiKey[],
): Promise<void> {
  await forEachConcurrently(invitations, 10, async (revocation) => {
    await audit.transact(revocation);
  });
  await forEachConcurrently(apiKeys, 10, async ({ id }) => {
    await directory.revokeApiKey(organization.id, id, audit);
  });
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
