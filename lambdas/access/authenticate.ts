import { GatewayError } from '#lambdas/platform/errors.ts';
import { hashApiKey, isActiveApiKey, isWellFormedApiKey } from './api-key.ts';
import type { ApiKey } from './directory.ts';
import { type ApiKeyLookupOptions, createApiKeyLookup } from './key-lookup.ts';

/**
 * Throws a `GatewayError` (401), the same for a missing, unknown, revoked and expired key. `onLookup` is called just
 * before the lookup of a well-formed key, to start other work of the request at the same time.
 */
export type Authenticate = (authorization: string | undefined, onLookup?: () => void) => Promise<ApiKey>;

/** Fits the scheme, a key and some spaces between them. */
const maxHeaderLength = 64;

export function createAuthenticate({ directory, now }: ApiKeyLookupOptions): Authenticate {
  const lookUp = createApiKeyLookup({ directory, now });
  return async (authorization, onLookup) => {
    const key = readKey(authorization);
    onLookup?.();
    const apiKey = await lookUp(hashApiKey(key));
    // A cached key may have expired since it was read.
    if (apiKey === null || !isActiveApiKey(apiKey, now())) throw invalidApiKey();
    return apiKey;
  };
}

function readKey(authorization: string | undefined): string {
  if (authorization === undefined || authorization.length > maxHeaderLength) throw invalidApiKey();
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined || !isWellFormedApiKey(key)) throw invalidApiKey();
  return key;
}

function invalidApiKey(): GatewayError {
  return new GatewayError('invalid_api_key', {
    message: 'The API key is missing or not valid: send an active key as "Authorization: Bearer pt_live_…"',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
