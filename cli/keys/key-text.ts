import { endOf, isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { AdminError } from '../errors.ts';
import { textTable } from '../text-table.ts';

interface KeyColumn {
  title: string;
  cell(apiKey: ApiKey): string;
}

/** `more` is a further column. */
export function keyTable(apiKeys: readonly ApiKey[], now: Date, more?: KeyColumn): string {
  return textTable(
    ['KEY', 'NAME', 'ENDS IN', 'STATUS', 'CREATED', 'EXPIRES', ...(more ? [more.title] : [])],
    apiKeys.map((apiKey) => [
      apiKey.id,
      apiKey.name,
      apiKey.last_four,
      keyStatus(apiKey, now),
      apiKey.created_at,
      endOf(apiKey) ?? 'never',
      ...(more ? [more.cell(apiKey)] : []),
    ]),
  );
}

function keyStatus(apiKey: ApiKey, now: Date): string {
  if (apiKey.revoked_at !== null) return `revoked ${apiKey.revoked_at}`;
  return isActiveApiKey(apiKey, now) ? 'active' : 'expired';
}

export function newKeyText(key: string): string {
  return `${key}\n\nStore this API key now: it is not shown again.`;
}

export function keyNotFoundError(keyId: string, organizationId: string): AdminError {
  return new AdminError(
    `Key ${keyId} was not found in organization ${organizationId}: see "key list --organization ${organizationId}"`,
  );
}
