/**
 * Who may call the Bedrock runtime: a role, by a signature that is computed anew here, or the holder of an API key.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { RecordedRequest } from '../upstream-answers.ts';
import { BedrockRefusal } from './bedrock-errors.ts';

export interface BedrockRole {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface ExpectedCaller {
  expectedApiKey?: string | undefined;
  /** A signature by any other credentials is refused. Without it a signature only has to look like one. */
  expectedRole?: BedrockRole | undefined;
}

export function checkCaller(request: RecordedRequest, expected: ExpectedCaller): void {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    throw new BedrockRefusal('MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  if (authorization.startsWith('Bearer ')) checkApiKey(authorization.slice('Bearer '.length), expected);
  else checkSignature(request, readSignature(authorization), expected);
}

function checkApiKey(apiKey: string, { expectedApiKey, expectedRole }: ExpectedCaller): void {
  const isExpected = expectedApiKey === undefined ? expectedRole === undefined : apiKey === expectedApiKey;
  if (!isExpected || apiKey === '') {
    throw new BedrockRefusal(
      'AccessDeniedException',
      'Authentication failed: Please make sure your API Key is valid.',
    );
  }
}

interface Signature {
  accessKeyId: string;
  /** `<date>/<region>/bedrock/aws4_request`. */
  scope: string;
  signedHeaders: string[];
  signature: string;
}

const signaturePattern =
  /^AWS4-HMAC-SHA256 Credential=([\w-]+)\/(\d{8}\/[\w-]+\/bedrock\/aws4_request), SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;

function readSignature(authorization: string): Signature {
  const [, accessKeyId, scope, signedHeaders, signature] = signaturePattern.exec(authorization) ?? [];
  if (!accessKeyId || !scope || !signedHeaders || !signature) {
    throw new BedrockRefusal(
      'InvalidSignatureException',
      'Authorization header requires a Credential of the service bedrock, SignedHeaders and a Signature.',
    );
  }
  return { accessKeyId, scope, signedHeaders: signedHeaders.split(';'), signature };
}

function checkSignature(request: RecordedRequest, given: Signature, expected: ExpectedCaller): void {
  const { expectedApiKey, expectedRole } = expected;
  const isKnown =
    expectedRole === undefined
      ? expectedApiKey === undefined
      : expectedRole.accessKeyId === given.accessKeyId;
  if (!isKnown) {
    throw new BedrockRefusal(
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  }
  if (expectedRole !== undefined && signatureOf(request, given, expectedRole) !== given.signature) {
    throw new BedrockRefusal(
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    );
  }
}

function signatureOf(
  { method, url, headers, body }: RecordedRequest,
  { scope, signedHeaders }: Signature,
  { secretAccessKey }: BedrockRole,
): string {
  const canonicalHeaders = signedHeaders.map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const canonicalRequest = [
    method,
    // All services but S3 encode the path once more.
    url.split('/').map(encodeURIComponent).join('/'),
    '',
    canonicalHeaders.join(''),
    signedHeaders.join(';'),
    hash(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonicalRequest)].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return createHmac('sha256', key).update(toSign).digest('hex');
}

function hash(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
