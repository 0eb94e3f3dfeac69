/**
 * AWS Signature Version 4 for POST requests: `createSigner` for a service's root path, where most of the canonical
 * request is known in advance, and `createPathSigner` for any path. The signing key of the day is cached.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Credentials } from './access.ts';

export interface SigningScope {
  /** The service's name in signatures, which may differ from its host name. */
  service: string;
  region: string;
  credentials: Credentials;
}

interface CanonicalRequest {
  time: string;
  signedHeaders: string;
  text: string;
}

type Authorize = (request: CanonicalRequest) => string;

function createAuthorize({ service, region, credentials }: SigningScope): Authorize {
  const { accessKeyId, secretAccessKey } = credentials;
  let cached: { day: string; key: KeyObject } | null = null;
  const signingKey = (day: string): KeyObject => {
    if (cached?.day !== day) {
      const parts = [day, region, service, 'aws4_request'];
      cached = { day, key: parts.reduce(deriveKey, createSecretKey(`AWS4${secretAccessKey}`, 'utf8')) };
    }
    return cached.key;
  };
  return ({ time, signedHeaders, text }) => {
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const stringToSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', text)}`;
    const signature = createHmac('sha256', signingKey(day)).update(stringToSign).digest('hex');
    return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  };
}

/** Returns the time in the format `20260131T093000Z`. */
function signingTime(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** Returns a key object, since signing with the bytes of a key takes five times as long. */
function deriveKey(key: KeyObject, part: string): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(part).digest());
}

export interface SignerOptions extends SigningScope {
  /** Includes the port unless it is the protocol's default. */
  host: string;
  contentType: string;
}

/** Returns the headers of a request for an action of the service, such as `DynamoDB_20120810.PutItem`. */
type Signer = (action: string, body: string, at: Date) => Record<string, string>;

export function createSigner({ host, contentType, ...scope }: SignerOptions): Signer {
  const authorize = createAuthorize(scope);
  const { sessionToken } = scope.credentials;
  const token: Record<string, string> =
    sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const tokenLine = sessionToken === undefined ? '' : `x-amz-security-token:${sessionToken}\n`;
  // In alphabetical order, as the canonical request requires.
  const signedHeaders = ['content-type', 'host', 'x-amz-date', ...Object.keys(token), 'x-amz-target'].join(
    ';',
  );
  return (action, body, at) => {
    const time = signingTime(at);
    const lines = `content-type:${contentType}\nhost:${host}\nx-amz-date:${time}\n${tokenLine}x-amz-target:${action}\n`;
    const text = `POST\n/\n\n${lines}\n${signedHeaders}\n${hash('sha256', body)}`;
    return {
      'content-type': contentType,
      host,
      'x-amz-date': time,
      ...token,
      'x-amz-target': action,
      authorization: authorize({ time, signedHeaders, text }),
    };
  };
}

export interface PathRequest {
  /** Encoded, with a leading slash. */
  path: string;
  /** Includes `host`; names in lower case, values trimmed. */
  headers: Record<string, string>;
  body: string;
  at: Date;
}

/** Returns the request's headers and those of the signature. */
type PathSigner = (request: PathRequest) => Record<string, string>;

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
    const signedHeaders = names.join(';');
    const text = `POST\n${canonicalPath(path)}\n\n${lines}\n${signedHeaders}\n${bodyHash}`;
    return { ...all, authorization: authorize({ time, signedHeaders, text }) };
  };
}

/** Also encodes `!'()*`, unlike `encodeURIComponent`. */
export function encodePathSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Every service except S3 requires encoded segments to be encoded a second time, and repeated slashes to be merged. */
function canonicalPath(path: string): string {
  return path.replace(/\/+/g, '/').split('/').map(encodePathSegment).join('/');
}
