/** What an API key looks like, how it is recognised, and when it counts. */

import { hash, randomInt } from 'node:crypto';
import type { ApiKey } from './directory.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPattern = /^pt_live_[0-9A-Za-z]{32}$/;

/** A new key: `pt_live_` and 32 base62 characters, 190 bits. Its holder must see it now; only its hash is kept. */
export function generateApiKey(): string {
  return `pt_live_${randomBase62(32)}`;
}

/** What a new key is made for. */
export interface KeyRequest {
  organizationId: string;
  name: string;
  createdAt: Date;
  /** RFC 3339. Left out: the key does not expire. */
  expiresAt?: string;
  /** The organization's number of write shards, see `Organization.log_shards`. */
  logShards: number;
}

/** A new key, and the record of it that is kept. */
export function issueApiKey(request: KeyRequest): { key: string; apiKey: ApiKey } {
  const key = generateApiKey();
  const apiKey = {
    id: newId('key'),
    organization_id: request.organizationId,
    name: request.name,
    last_four: key.slice(-4),
    created_at: request.createdAt.toISOString(),
    expires_at: request.expiresAt ?? null,
    revoked_at: null,
    log_shards: request.logShards,
  };
  return { key, apiKey };
}

/** Whether the text could be a key at all, so that nonsense costs no read. */
export function isWellFormedApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** SHA-256, in hexadecimal. A key is random enough that a slow, salted hash would protect nothing more. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** Whether the key is neither revoked nor expired. An expiry that cannot be read counts as past. */
export function isLive(apiKey: Pick<ApiKey, 'expires_at' | 'revoked_at'>, now: Date): boolean {
  if (apiKey.revoked_at !== null) return false;
  return apiKey.expires_at === null || Date.parse(apiKey.expires_at) > now.getTime();
}

/** An identifier such as `key_4fTgQ0wZ6uKc1vXb`: says what it names, and is no secret. */
export function newId(kind: 'org' | 'key'): string {
  return `${kind}_${randomBase62(16)}`;
}

/** `randomInt` draws again rather than fold its range, so every character is equally likely. */
function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
