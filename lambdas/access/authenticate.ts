import { GatewayError } from '#lambdas/platform/errors.ts';
import { apiKeyPrefix, hashApiKey, inactiveReason, isWellFormedApiKey } from './api-key.ts';
import type { ApiKey } from './directory.ts';
import { type ApiKeyLookupOptions, createApiKeyLookup, type KeyRejection } from './key-lookup.ts';

/** The response is the same for every reason; only the log tells them apart. */
export class RejectedKeyError extends GatewayError {
  readonly reason: KeyRejection | 'missing' | 'malformed';

  constructor(reason: RejectedKeyError['reason']) {
    super('invalid_api_key', {
      message: `The API key is missing or not valid: send an active key as "Authorization: Bearer ${apiKeyPrefix}…"`,
      headers: { 'www-authenticate': 'Bearer' },
    });
    this.reason = reason;
  }
}

/**
 * Throws a `RejectedKeyError` (401). `onLookup` is called just before the lookup of a well-formed key, to start other work
 * of the request at the same time.
 */
export type Authenticate = (authorization: string | undefined, onLookup?: () => void) => Promise<ApiKey>;

/** Fits the scheme, a key and some spaces between them. */
const maxHeaderLength = 64;

export function createAuthenticate({ apiKeys, now }: ApiKeyLookupOptions): Authenticate {
  const lookUp = createApiKeyLookup({ apiKeys, now });
  return async (authorization, onLookup) => {
    const key = readKey(authorization);
    onLookup?.();
    const apiKey = await lookUp(hashApiKey(key));
    if (typeof apiKey === 'string') throw new RejectedKeyError(apiKey);
    // A cached key may have expired since it was read.
    const reason = inactiveReason(apiKey, now());
    if (reason !== null) throw new RejectedKeyError(reason);
    return apiKey;
  };
}

function readKey(authorization: string | undefined): string {
  if (authorization === undefined) throw new RejectedKeyError('missing');
  if (authorization.length > maxHeaderLength) throw new RejectedKeyError('malformed');
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  // Text that cannot be a key needs no table read.
  if (key === undefined || !isWellFormedApiKey(key)) throw new RejectedKeyError('malformed');
  return key;
}
