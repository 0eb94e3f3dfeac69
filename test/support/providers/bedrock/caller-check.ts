/**
 * Who may call the Bedrock runtime: a role, whose signature is computed again here, or the holder of an API key.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { RecordedRequest } from '../upstream-responses.ts';

export interface ExpectedCaller {
  expectedApiKey?: string;
  /** Without it a signature only has to look like one. */
  expectedRole?: { accessKeyId: string; secretAccessKey: string };
}

const signaturePattern =
  /^AWS4-HMAC-SHA256 Credential=([\w-]+)\/(\d{8}\/[\w-]+\/bedrock\/aws4_request), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;

/** A key is expected if one is named, or if nobody is. */
export function isCaller(
  request: RecordedRequest,
  { expectedApiKey, expectedRole }: ExpectedCaller,
): boolean {
  const { authorization = '' } = request.headers;
  const isAnybody = expectedApiKey === undefined && expectedRole === undefined;
  if (authorization.startsWith('Bearer ')) return isAnybody || authorization === `Bearer ${expectedApiKey}`;
  const [, accessKeyId, scope = '', names = '', signature] = signaturePattern.exec(authorization) ?? [];
  if (signature === undefined || expectedRole === undefined) return signature !== undefined && isAnybody;
  const { secretAccessKey } = expectedRole;
  const expected = signatureOf(request, { scope, names: names.split(';'), secretAccessKey });
  return accessKeyId === expectedRole.accessKeyId && signature === expected;
}

interface Signing {
  scope: string;
  /** Of the signed headers. */
  names: string[];
  secretAccessKey: string;
}

function signatureOf(
  { method, url, headers, body }: RecordedRequest,
  { scope, names, secretAccessKey }: Signing,
): string {
  const canonicalRequest = [
    method,
    // Every service but S3 encodes the path once more.
    url.split('/').map(encodeURIComponent).join('/'),
    '',
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
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
