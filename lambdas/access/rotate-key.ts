/** Replaces an API key by a new one, without a moment in which its holder has no key that works. */

import { hashApiKey, isLive, issueApiKey } from './api-key.ts';
import type { ApiKey, ApiKeys, Organization } from './directory.ts';
import { keyRevocationDelayMs } from './key-lookup.ts';

/** Functions cache a key for so long: with a shorter overlap, the old key would work longer than was said. */
export const minOverlapMs = keyRevocationDelayMs;
export const maxOverlapMs = 90 * 86_400_000;

export interface RotationDependencies {
  directory: Pick<ApiKeys, 'createApiKey' | 'expireApiKey'>;
  now(): Date;
}

export interface RotationRequest {
  organization: Organization;
  old: ApiKey;
  /** How long the old key keeps working, between `minOverlapMs` and `maxOverlapMs`. */
  overlapMs: number;
  /** Called when the new key works and before the old one gets its end: its holder must have seen the new one by then. */
  onCreated(rotation: Rotation): void;
}

export interface Rotation {
  /** The new key itself, of which only the hash is kept. */
  key: string;
  apiKey: ApiKey;
  /** The record of the old key, with its end. */
  replaced: ApiKey;
}

/**
 * `false` when the old key is revoked or expired, so that it cannot be replaced.
 *
 * Wherever this stops, the holder has a key that works and can run it again.
 */
export async function rotateKey(
  { directory, now }: RotationDependencies,
  { organization, old, overlapMs, onCreated }: RotationRequest,
): Promise<boolean> {
  const createdAt = now();
  if (!isLive(old, createdAt)) return false;
  const { key, apiKey } = issueApiKey({
    organizationId: organization.id,
    name: old.name,
    createdAt,
    expiresAt: old.expires_at ?? undefined,
    logShards: organization.log_shards,
  });
  await directory.createApiKey(apiKey, hashApiKey(key));
  const end = new Date(createdAt.getTime() + overlapMs).toISOString();
  onCreated({ key, apiKey, replaced: endingBy(old, end) });
  await directory.expireApiKey(organization.id, old.id, end);
  return true;
}

function endingBy(apiKey: ApiKey, end: string): ApiKey {
  const endsEarlier = apiKey.expires_at !== null && apiKey.expires_at < end;
  return endsEarlier ? apiKey : { ...apiKey, expires_at: end };
}
