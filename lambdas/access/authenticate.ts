import { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import { apiKeyPrefix, hashApiKey, inactiveReason, isWellFormedApiKey } from './api-key.ts';
import type { RequestKey } from './directory.ts';
import { type ApiKeyLookupOptions, createApiKeyLookup, type KeyRejection } from './key-lookup.ts';

/** The response is the same for every reason; only the log tells them apart. */
export class RejectedKeyError extends GatewayError {
  readonly reason: KeyRejection | 'missing' | 'malformed';

  constructor(reason: RejectedKeyError['reason']) {
    super('invalid_api_key', {
      message: `The API key is missing or not valid: send an active key as "Authorization: Bearer ${apiKeyPrefix}…" or "x-api-key: ${apiKeyPrefix}…"`,
      headers: { 'www-authenticate': 'Bearer' },
    });
    this.reason = reason;
  }
}

/**
 * Reads the key from the bearer token of `Authorization` or, without one, from `x-api-key`, where Anthropic's clients send it.
 * Throws a `RejectedKeyError` (401). `onLookup` is called just before the lookup of a well-formed key, to start other work
 * of the request at the same time.
 */
export type Authenticate = (headers: HttpRequest['headers'], onLookup?: () => void) => Promise<RequestKey>;

/** Fits the scheme, a key and some spaces between them. */
const maxBearerLength = 64;

export function createAuthenticate({ apiKeys, now }: ApiKeyLookupOptions): Authenticate {
  const lookUp = createApiKeyLookup({ apiKeys, now });
  return async (headers, onLookup) => {
    const key = readKey(headers);
    onLookup?.();
    const apiKey = await lookUp(hashApiKey(key));
    if (typeof apiKey === 'string') throw new RejectedKeyError(apiKey);
    // A cached key may have expired since it was read.
    const reason = inactiveReason(apiKey, now());
    if (reason !== null) throw new RejectedKeyError(reason);
    return apiKey;
  };
}

function readKey({ authorization, 'x-api-key': apiKey = '' }: HttpRequest['headers']): string {
  const token = readBearerToken(authorization ?? '');
  const key = token === '' ? apiKey : token;
  if (key === '' && authorization === undefined) throw new RejectedKeyError('missing');
  // Text that cannot be a key needs no table read.
  if (!isWellFormedApiKey(key)) throw new RejectedKeyError('malformed');
  return key;
}

/** Empty without a token, and for any other scheme. */
function readBearerToken(authorization: string): string {
  const scheme = /^Bearer(?= |$)/i.exec(authorization)?.[0] ?? '';
  if (scheme === '') return '';
  if (authorization.length > maxBearerLength) throw new RejectedKeyError('malformed');
  return authorization.slice(scheme.length).replace(/^ +/, '');
}
