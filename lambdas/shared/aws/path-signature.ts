/** The signed headers of a POST to any path of a service. */
import { hash } from 'node:crypto';
import { createAuthorize, type SigningScope, signingTime } from './authorization.ts';

export interface PathRequest {
  /** As it is sent, from the root. */
  path: string;
  /** Those to sign, which are to hold `host`: names in lower case, values without spaces around them. */
  headers: Record<string, string>;
  body: string;
  at: Date;
}

/** The headers that were given, and those of the signature. */
export type PathSigner = (request: PathRequest) => Record<string, string>;

export function createPathSigner(scope: SigningScope): PathSigner {
  const authorize = createAuthorize(scope);
  const { sessionToken } = scope.credentials;
  return ({ path, headers, body, at }) => {
    const time = signingTime(at);
    const bodyHash = hash('sha256', body);
    const all: Record<string, string> = {
      ...headers,
      'x-amz-content-sha256': bodyHash,
      'x-amz-date': time,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    };
    const names = Object.keys(all).sort();
    const lines = names.map((name) => `${name}:${all[name]}\n`).join('');
    const signed = names.join(';');
    const text = `POST\n${canonicalPath(path)}\n\n${lines}\n${signed}\n${bodyHash}`;
    return { ...all, authorization: authorize({ time, signed, text }) };
  };
}

/** One part of a path, with all encoded that signatures want encoded. */
export function encodePathPart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** All services but S3 have what is encoded encoded once more, and take many slashes for one. */
function canonicalPath(path: string): string {
  return path.replace(/\/+/g, '/').split('/').map(encodePathPart).join('/');
}
