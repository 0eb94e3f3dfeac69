/** The API keys that a member has created, or has received by a rotation. */
import { isActiveApiKey, isHeldBy } from '#lambdas/access/api-key.ts';
import type { DirectoryReader } from '#lambdas/access/directory.ts';

/** The number of active keys of each member, by user id. */
export async function countActiveKeys(
  directory: Pick<DirectoryReader, 'listCurrentApiKeys'>,
  { organizationId, userIds, now }: { organizationId: string; userIds: readonly string[]; now: Date },
): Promise<ReadonlyMap<string, number>> {
  const apiKeys = await directory.listCurrentApiKeys(organizationId);
  const active = apiKeys.filter((apiKey) => isActiveApiKey(apiKey, now));
  return new Map(
    userIds.map((userId) => [userId, active.filter((apiKey) => isHeldBy(apiKey, userId)).length]),
  );
}
