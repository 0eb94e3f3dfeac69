/** API keys as people are told of them. */
import { isLive } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { AdminError } from '../admin-error.ts';
import { isKeyPrefixed, noSuchOrganization } from '../organizations/organizations.ts';
import { textTable } from '../text-table.ts';

export function keyTable(apiKeys: ApiKey[], now: Date): string {
  return textTable(
    ['KEY', 'NAME', 'ENDS IN', 'STATUS', 'CREATED', 'EXPIRES'],
    apiKeys.map((apiKey) => [
      apiKey.id,
      apiKey.name,
      apiKey.last_four,
      statusOf(apiKey, now),
      apiKey.created_at,
      apiKey.expires_at ?? 'never',
    ]),
  );
}

/** For the one time that the key itself is shown. */
export function newKeyText(key: string): string {
  return `${key}\n\nThis is the key. It is not shown again: store it now.`;
}

/** The key itself in the place of an id is a slip that must not end up in a log. */
export function noSuchKey(keyId: string, organizationId: string): AdminError {
  if (isKeyPrefixed(organizationId)) return noSuchOrganization(organizationId);
  const message = isKeyPrefixed(keyId)
    ? `A key is named by its id, which starts with "key_": see "key list ${organizationId}"`
    : `The organization ${organizationId} has no key ${keyId}: see "key list ${organizationId}"`;
  return new AdminError(message);
}

function statusOf(apiKey: ApiKey, now: Date): string {
  if (apiKey.revoked_at !== null) return `revoked ${apiKey.revoked_at}`;
  return isLive(apiKey, now) ? 'live' : 'expired';
}
