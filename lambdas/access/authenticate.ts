/** Authentication by the API key in the `Authorization` header, which is looked up by its hash. */

import { GatewayError } from '#lambdas/platform/errors.ts';
import { hashApiKey, isLive, isWellFormedApiKey } from './api-key.ts';
import type { ApiKey } from './directory.ts';
import { type ApiKeyLookupOptions, createApiKeyLookup } from './key-lookup.ts';

/**
 * Throws a `GatewayError` (401) that does not tell a missing key from an unknown, revoked or expired one. `meanwhile` is
 * called before the key is looked up, unless it cannot be a key at all: it may start what the request needs next.
 */
export type Authenticate = (authorization: string | undefined, meanwhile?: () => void) => Promise<ApiKey>;

/** The scheme, a key, and some room for spaces between the two. */
const maxHeaderLength = 64;

export function createAuthenticate({ directory, now }: ApiKeyLookupOptions): Authenticate {
  const findLiveKey = createApiKeyLookup({ directory, now });
  return async (authorization, meanwhile) => {
    const key = readKey(authorization);
    meanwhile?.();
    const apiKey = await findLiveKey(hashApiKey(key));
    // A key that was live when it was read may have expired since.
    if (apiKey === null || !isLive(apiKey, now())) throw invalidApiKey();
    return apiKey;
  };
}

/** Rejects what cannot be a key before anything is hashed or read. */
function readKey(authorization: string | undefined): string {
  if (authorization === undefined || authorization.length > maxHeaderLength) throw invalidApiKey();
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined || !isWellFormedApiKey(key)) throw invalidApiKey();
  return key;
}

function invalidApiKey(): GatewayError {
  return new GatewayError('invalid_api_key', {
    message: 'The API key is missing or not valid: send a live key as "Authorization: Bearer pt_live_…"',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
