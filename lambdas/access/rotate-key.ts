/** Rotates an API key: creates its replacement, then lets the old key expire after an overlap. */

import { hashApiKey, isActiveApiKey, issueApiKey } from './api-key.ts';
import type { ApiKey, ApiKeys, Organization } from './directory.ts';
import { keyRevocationDelayMs } from './key-lookup.ts';

/** Functions cache keys for this long: after a shorter overlap, they would still accept the old key. */
export const minOverlapMs = keyRevocationDelayMs;
export const maxOverlapMs = 90 * 86_400_000;

export interface RotationDependencies {
  directory: Pick<ApiKeys, 'createApiKey' | 'expireApiKey'>;
  now(): Date;
}

export interface RotationRequest {
  organization: Organization;
  old: ApiKey;
  /** The remaining lifetime of the old key: `minOverlapMs` to `maxOverlapMs`. */
  overlapMs: number;
  /** Called when the new key works, before the old key's expiry is set. Must show the new key to its holder. */
  onCreated(rotation: Rotation): void;
}

export interface Rotation {
  key: string;
  apiKey: ApiKey;
  replaced: ApiKey;
}

/**
 * Returns `false` when the old key is revoked or expired. After a failure halfway, the old key still works and the
 * rotation can be repeated.
 */
export async function rotateKey(
  { directory, now }: RotationDependencies,
  { organization, old, overlapMs, onCreated }: RotationRequest,
): Promise<boolean> {
  const createdAt = now();
  if (!isActiveApiKey(old, createdAt)) return false;
  const { key, apiKey } = issueApiKey({
    organizationId: organization.id,
    name: old.name,
    createdAt,
    expiresAt: old.expires_at ?? undefined,
    logShards: organization.log_shards,
  });
  // Both keys spend the same budgets.
  const replacement = { ...apiKey, budget_key_id: old.budget_key_id ?? old.id };
  await directory.createApiKey(replacement, hashApiKey(key));
  const expiresAt = new Date(createdAt.getTime() + overlapMs).toISOString();
  onCreated({ key, apiKey: replacement, replaced: withExpiry(old, expiresAt) });
  await directory.expireApiKey(organization.id, old.id, expiresAt);
  return true;
}

function withExpiry(apiKey: ApiKey, expiresAt: string): ApiKey {
  const expiresEarlier = apiKey.expires_at !== null && apiKey.expires_at < expiresAt;
  return expiresEarlier ? apiKey : { ...apiKey, expires_at: expiresAt };
}
