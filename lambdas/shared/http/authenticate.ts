/** Who is calling: the API key in the `Authorization` header, looked up by its hash. */
import { hashApiKey, isLive, isWellFormedApiKey } from '../domain/api-key.ts';
import type { ApiKey, Directory } from '../domain/directory.ts';
import { GatewayError } from '../domain/gateway-error.ts';

/** Throws a `GatewayError` (401) that does not tell a missing key from an unknown, revoked or expired one. */
export type Authenticate = (authorization: string | undefined) => Promise<ApiKey>;

export interface AuthenticateOptions {
  directory: Pick<Directory, 'findApiKeyByHash'>;
  now(): Date;
}

/** A revoked key works no longer than this, so it is below the 30 seconds that are promised. */
const cacheMs = 20_000;
const mostCached = 10_000;

export function createAuthenticate({ directory, now }: AuthenticateOptions): Authenticate {
  const cache = new Map<string, { apiKey: ApiKey; until: number }>();

  const find = async (hash: string): Promise<ApiKey | null> => {
    const cached = cache.get(hash);
    const at = now().getTime();
    if (cached !== undefined && cached.until > at) return cached.apiKey;
    cache.delete(hash);
    const apiKey = await directory.findApiKeyByHash(hash);
    if (apiKey !== null) {
      if (cache.size >= mostCached) cache.clear();
      cache.set(hash, { apiKey, until: at + cacheMs });
    }
    return apiKey;
  };

  return async (authorization) => {
    const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (key === undefined || !isWellFormedApiKey(key)) throw invalidApiKey();
    const apiKey = await find(hashApiKey(key));
    if (apiKey === null || !isLive(apiKey, now())) throw invalidApiKey();
    return apiKey;
  };
}

function invalidApiKey(): GatewayError {
  return new GatewayError('invalid_api_key', {
    message: 'The API key is missing or not valid: send a live key as "Authorization: Bearer pt_live_…"',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
