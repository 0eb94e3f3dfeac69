/**
 * AWS Signature Version 4 for POST requests: to a service's root, of which most is known in advance, and to any path.
 * The signing key of the day is cached.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Credentials } from './access.ts';

export interface SigningScope {
  /** As signatures name it. */
  service: string;
  region: string;
  credentials: Credentials;
}

export interface CanonicalRequest {
  /** As `signingTime` writes it. */
  time: string;
  /** The names of the signed headers. */
  signed: string;
  text: string;
}

/** The value of the header `authorization`. */
export type Authorize = (request: CanonicalRequest) => string;

export function createAuthorize({ service, region, credentials }: SigningScope): Authorize {
  const { accessKeyId, secretAccessKey } = credentials;
  let kept: { day: string; key: KeyObject } | null = null;
  const keyOf = (day: string): KeyObject => {
    if (kept?.day !== day) {
      const parts = [day, region, service, 'aws4_request'];
      kept = { day, key: parts.reduce(deriveKey, createSecretKey(`AWS4${secretAccessKey}`, 'utf8')) };
    }
    return kept.key;
  };
  return ({ time, signed, text }) => {
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', text)}`;
    const signature = createHmac('sha256', keyOf(day)).update(toSign).digest('hex');
    return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  };
}

export function signingTime(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** A key object: to sign with the bytes of a key takes five times as long. */
function deriveKey(key: KeyObject, part: string): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(part).digest());
}

export interface SignerOptions extends SigningScope {
  /** With the port, where it is not the protocol's own. */
  host: string;
  contentType: string;
}

/** The headers of a request for an action of the service, such as `DynamoDB_20120810.PutItem`. */
export type Signer = (action: string, body: string, at: Date) => Record<string, string>;

export function createSigner({ host, contentType, ...scope }: SignerOptions): Signer {
  const authorize = createAuthorize(scope);
  const { sessionToken } = scope.credentials;
  const token: Record<string, string> =
    sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const tokenLine = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`;
  // In the order of their names.
  const signed = ['content-type', 'host', 'x-amz-date', ...Object.keys(token), 'x-amz-target'].join(';');
  return (action, body, at) => {
    const time = signingTime(at);
    const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${tokenLine}x-amz-target:${action}\n`;
    const text = `POST\n/\n\n${lines}\n${signed}\n${hash('sha256', body)}`;
    return {
      'content-type': contentType,
      host,
      'x-amz-date': time,
      ...token,
      'x-amz-target': action,
      authorization: authorize({ time, signed, text }),
    };
  };
}

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
