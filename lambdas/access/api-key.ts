import { hash, randomInt } from 'node:crypto';
import type { Creator } from '#lambdas/audit/record.ts';
import type { ApiKey } from './directory.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPattern = /^pt_live_[0-9A-Za-z]{32}$/;

/** Returns a key with 190 random bits. Only its hash is stored, so the key must be shown now. */
export function generateApiKey(): string {
  return `pt_live_${randomBase62(32)}`;
}

interface KeyRequest {
  organizationId: string;
  name: string;
  createdAt: Date;
  createdBy: Creator;
  /** RFC 3339; the key never expires when missing. */
  expiresAt?: string;
  logShards: number;
}

export function issueApiKey(request: KeyRequest): { key: string; apiKey: ApiKey } {
  const key = generateApiKey();
  const apiKey = {
    id: newId('key'),
    organization_id: request.organizationId,
    name: request.name,
    last_four: key.slice(-4),
    created_at: request.createdAt.toISOString(),
    created_by: request.createdBy,
    expires_at: request.expiresAt ?? null,
    revoked_at: null,
    revoked_by: null,
    log_shards: request.logShards,
  };
  return { key, apiKey };
}

/** Avoids a table read for text that cannot be a key. */
export function isWellFormedApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** Returns the SHA-256 hash in hexadecimal. Keys are random, so a slow, salted hash would not protect them better. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

type KeyValidity = Pick<ApiKey, 'expires_at' | 'revoked_at'>;

/** Returns why a key is no longer accepted; `null` for an active one. A malformed `expires_at` counts as expired. */
export function endOfApiKey(
  { revoked_at, expires_at }: KeyValidity,
  now: Date,
): 'revoked' | 'expired' | null {
  if (revoked_at !== null) return 'revoked';
  return expires_at === null || Date.parse(expires_at) > now.getTime() ? null : 'expired';
}

export function isActiveApiKey(apiKey: KeyValidity, now: Date): boolean {
  return endOfApiKey(apiKey, now) === null;
}

/** Whether the user has been shown the full key: has created it, or rotated another one to it. */
export function isHeldBy({ created_by, rotated_by }: ApiKey, userId: string): boolean {
  return [created_by, rotated_by].some((holder) => holder?.type === 'user' && holder.id === userId);
}

export function newId(kind: 'org' | 'key'): string {
  return `${kind}_${randomBase62(16)}`;
}

/** `randomInt` has no modulo bias. */
function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
