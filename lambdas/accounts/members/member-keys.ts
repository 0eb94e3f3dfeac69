/** The API keys that a member has created, or has received by a rotation. */
import { isActiveApiKey, isHeldBy } from '#lambdas/access/api-key.ts';
import type { ApiKey, DirectoryReader } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { keyChange, revocation } from '#lambdas/access/keys/change.ts';
import { findKeyOfRecord } from '#lambdas/access/keys/read.ts';
import type { AuditedChange, AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Membership } from './membership.ts';

export async function listActiveKeysOf(
  directory: Pick<DirectoryReader, 'listApiKeys'>,
  { organizationId, userId }: Membership,
  now: Date,
): Promise<ApiKey[]> {
  const apiKeys = await directory.listApiKeys(organizationId);
  return apiKeys.filter((apiKey) => isActiveApiKey(apiKey, now) && isHeldBy(apiKey, userId));
}

/** The number of active keys of each member, by user id. */
export async function countActiveKeys(
  directory: Pick<DirectoryReader, 'listApiKeys'>,
  { organizationId, userIds, now }: { organizationId: string; userIds: readonly string[]; now: Date },
): Promise<ReadonlyMap<string, number>> {
  const apiKeys = await directory.listApiKeys(organizationId);
  const active = apiKeys.filter((apiKey) => isActiveApiKey(apiKey, now));
  return new Map(
    userIds.map((userId) => [userId, active.filter((apiKey) => isHeldBy(apiKey, userId)).length]),
  );
}

/** For the transaction that removes the member. The item fails if the key is revoked already. */
export async function keyRevocation(
  table: DirectoryTable,
  apiKey: ApiKey,
  audit: AuditTrail,
): Promise<AuditedChange> {
  const { organization_id: organizationId, id: keyId } = apiKey;
  const key = await findKeyOfRecord(table, { organizationId, keyId });
  if (key === null) throw new Error(`The key ${keyId} has no record`);
  return keyChange(table, { key, apiKey }, revocation(audit));
}
