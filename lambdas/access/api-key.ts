import { hash } from 'node:crypto';
import type { Creator } from '#lambdas/audit/record.ts';
import type { ApiKey, KeyAccess } from './directory.ts';
import { newKeyId, randomBase62 } from './id.ts';

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
}

export function issueApiKey(newKey: NewApiKey): { key: string; apiKey: ApiKey } {
  const key = generateApiKey();
  const apiKey = {
    id: newKeyId(newKey.createdAt),
    organization_id: newKey.organizationId,
    name: newKey.name,
    last_four: key.slice(-4),
    created_at: newKey.createdAt.toISOString(),
    created_by: newKey.createdBy,
    expires_at: newKey.expiresAt ?? null,
    rotation: null,
    revoked_at: null,
    revoked_by: null,
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

type KeyLifetime = Pick<ApiKey, 'expires_at' | 'rotation'>;

/** When the key expires: at the time that its owner has set, or earlier at the end of its overlap with a replacement. */
export function endOf({ expires_at, rotation }: KeyLifetime): string | null {
  // All timestamps have the same format, so they can be compared as text.
  const [first = null] = [expires_at, rotation?.ends_at ?? null].filter((time) => time !== null).sort();
  return first;
}

type KeyValidity = KeyLifetime & Pick<ApiKey, 'revoked_at'>;

/** Returns why a key is no longer accepted, `null` for an active one. A malformed time counts as expired. */
export function inactiveReason(apiKey: KeyValidity, now: Date): 'revoked' | 'expired' | null {
  if (apiKey.revoked_at !== null) return 'revoked';
  const end = endOf(apiKey);
  return end === null || Date.parse(end) > now.getTime() ? null : 'expired';
}

export function isActiveApiKey(apiKey: KeyValidity, now: Date): boolean {
  return inactiveReason(apiKey, now) === null;
}

/** Returns the part of a key that requests need, without hard budgets. */
export function keyAccessOf(apiKey: ApiKey): KeyAccess {
  const { id, organization_id, expires_at, rotation, revoked_at, budget_key_id } = apiKey;
  return { id, organization_id, expires_at, rotation, revoked_at, budget_key_id };
}

/** The user or operator who was shown the value of the key. */
export function recipientOf({ created_by, rotated_by }: ApiKey): Creator {
  return rotated_by ?? created_by;
}

/** The users who have created the key, or rotated another one to it. */
export function holdersOf(apiKey: ApiKey): ReadonlySet<string> {
  const holders = [apiKey.created_by, recipientOf(apiKey)].filter(({ type }) => type === 'user');
  return new Set(holders.map(({ id }) => id));
}
