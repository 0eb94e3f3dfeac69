/**
 * Authenticates callers of the fake Bedrock runtime by SigV4 signature, which is recomputed here, or by API key.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { RecordedRequest } from '../upstream-responses.ts';

export interface ExpectedCaller {
  expectedApiKey?: string;
  expectedRole?: { accessKeyId: string; secretAccessKey: string };
}

const signaturePattern =
  /^AWS4-HMAC-SHA256 Credential=([\w-]+)\/(\d{8}\/[\w-]+\/bedrock\/aws4_request), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;

/** Accepts every key and every well-formed signature when neither a key nor a role is expected. */
export function isAuthenticated(
  request: RecordedRequest,
  { expectedApiKey, expectedRole }: ExpectedCaller,
): boolean {
  const { authorization = '' } = request.headers;
  const acceptsAnyCaller = expectedApiKey === undefined && expectedRole === undefined;
  if (authorization.startsWith('Bearer '))
    return acceptsAnyCaller || authorization === `Bearer ${expectedApiKey}`;
  const [, accessKeyId, scope = '', signedHeaders = '', signature] =
    signaturePattern.exec(authorization) ?? [];
  if (signature === undefined || expectedRole === undefined)
    return signature !== undefined && acceptsAnyCaller;
  const { secretAccessKey } = expectedRole;
  const expected = computeSignature(request, {
    scope,
    signedHeaders: signedHeaders.split(';'),
    secretAccessKey,
  });
  return accessKeyId === expectedRole.accessKeyId && signature === expected;
}

interface Signing {
  scope: string;
  signedHeaders: string[];
  secretAccessKey: string;
}

function computeSignature(
  { method, url, headers, body }: RecordedRequest,
  { scope, signedHeaders, secretAccessKey }: Signing,
): string {
  const canonicalRequest = [
    method,
    // SigV4 encodes the path twice for every service except S3.
    url.split('/').map(encodeURIComponent).join('/'),
    '',
    ...signedHeaders.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signedHeaders.join(';'),
    hash(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonicalRequest)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString('hex');
}

function hash(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
