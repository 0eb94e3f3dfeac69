import { hash } from 'node:crypto';
import type { Creator } from '#lambdas/audit/record.ts';
import type { ApiKey } from './directory.ts';
import { newId, randomBase62 } from './id.ts';

export const apiKeyPrefix = 'pt_live_';
const randomPartPattern = /^[0-9A-Za-z]{32}$/;

/** Returns a key with 190 random bits. Only its hash is stored, so the key must be shown now. */
export function generateApiKey(): string {
  return `${apiKeyPrefix}${randomBase62(32)}`;
}

interface NewApiKey {
  organizationId: string;
  name: string;
  createdAt: Date;
  createdBy: Creator;
  /** RFC 3339; the key never expires when missing. */
  expiresAt?: string;
  logShards: number;
}

export function issueApiKey(newKey: NewApiKey): { key: string; apiKey: ApiKey } {
  const key = generateApiKey();
  const apiKey = {
    id: newId('key'),
    organization_id: newKey.organizationId,
    name: newKey.name,
    last_four: key.slice(-4),
    created_at: newKey.createdAt.toISOString(),
    created_by: newKey.createdBy,
    expires_at: newKey.expiresAt ?? null,
    revoked_at: null,
    revoked_by: null,
    log_shards: newKey.logShards,
  };
  return { key, apiKey };
}

/** Whether the text has the form of a key. */
export function isWellFormedApiKey(text: string): boolean {
  return text.startsWith(apiKeyPrefix) && randomPartPattern.test(text.slice(apiKeyPrefix.length));
}

/** Returns the SHA-256 hash in hexadecimal. Keys are random, so a slow, salted hash would not protect them better. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

type KeyValidity = Pick<ApiKey, 'expires_at' | 'revoked_at'>;

/** Returns why a key is no longer accepted, `null` for an active one. A malformed `expires_at` counts as expired. */
export function inactiveReason(
  { revoked_at, expires_at }: KeyValidity,
  now: Date,
): 'revoked' | 'expired' | null {
  if (revoked_at !== null) return 'revoked';
  return expires_at === null || Date.parse(expires_at) > now.getTime() ? null : 'expired';
}

export function isActiveApiKey(apiKey: KeyValidity, now: Date): boolean {
  return inactiveReason(apiKey, now) === null;
}

/** Whether the user has been shown the full key: has created it, or rotated another one to it. */
export function isHeldBy({ created_by, rotated_by }: ApiKey, userId: string): boolean {
  return [created_by, rotated_by].some((holder) => holder?.type === 'user' && holder.id === userId);
}
