import type { ApiKey } from '#lambdas/access/directory.ts';
import { endMembership, isLastOwner, lastOwner } from '#lambdas/accounts/members/end-membership.ts';
import { keyRevocation, listActiveKeysOf } from '#lambdas/accounts/members/member-keys.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { type OrganizationCall, requirePermission } from '../call.ts';
import type { OrganizationServices } from '../services.ts';
import { findMember } from './find-member.ts';

/** The fate of the active keys that the member has created. */
export type KeysOfMember = 'revoke' | 'keep';

/** A transaction has room for the item and the record of each key, beside those of the membership. */
const maxKeysInTransaction = 40;

/**
 * Removes the member in the path, who may be the user. Revokes the keys in the same transaction, or before it if they are too
 * many. Throws a `GatewayError`: 403 without permission, 404 without such a member, 409 for the last owner.
 */
export async function removeMember(
  call: OrganizationCall,
  services: OrganizationServices,
  keys: KeysOfMember,
): Promise<void> {
  const { user, audit } = call;
  const { members, profiles, directory, directoryTable } = services;
  for (;;) {
    const membership = await findMember(call, services);
    const { userId, role } = membership;
    if (userId !== user.id) requirePermission(call, role === 'owner' ? 'manage_owners' : 'manage_members');
    if (await isLastOwner(members, membership)) throw lastOwner();
    const listKeys = () => listActiveKeysOf(directory, membership, audit.now());
    const apiKeys = keys === 'revoke' ? await listKeys() : [];
    if (apiKeys.length > maxKeysInTransaction) {
      await revokeKeys(call, services, apiKeys);
      continue;
    }
    const result = await endMembership(
      { members, audit },
      {
        membership,
        profile: (await profiles.findAll([userId])).get(userId) ?? null,
        action: userId === user.id ? 'member.left' : 'member.removed',
        also: await Promise.all(apiKeys.map((apiKey) => keyRevocation(directoryTable, apiKey, audit))),
      },
    );
    if (result === 'last owner') throw lastOwner();
    if (result === 'changed') continue;
    // The member may have created another one at the same time.
    if (keys === 'revoke') await revokeKeys(call, services, await listKeys());
    return;
  }
}

async function revokeKeys(
  { organization, audit }: OrganizationCall,
  { directory }: OrganizationServices,
  apiKeys: readonly ApiKey[],
): Promise<void> {
  await forEachConcurrently(apiKeys, 10, async ({ id }) => {
    await directory.revokeApiKey(organization.id, id, audit);
  });
}
