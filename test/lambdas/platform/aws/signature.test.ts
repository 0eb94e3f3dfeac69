import { expect, it } from 'vitest';
import type { Credentials } from '#lambdas/platform/aws/access.ts';
import { createSigner, type SignerOptions } from '#lambdas/platform/aws/sigv4.ts';
import { signWithSdk } from '#test/support/aws/sign-with-sdk.ts';
import { character, fc } from '#test/support/fast-check.ts';

interface ActionRequest {
  action: string;
  body: string;
  at: Date;
}

async function expected(options: SignerOptions, { action, body, at }: ActionRequest): Promise<object> {
  const { host, contentType } = options;
  const headers = { host, 'content-type': contentType, 'x-amz-target': action };
  // The SDK signs this header too, although only S3 requires it.
  const excluded = 'x-amz-content-sha256';
  const { [excluded]: _, ...rest } = await signWithSdk(options, {
    path: '/',
    headers,
    body,
    at,
    unsigned: [excluded],
  });
  return rest;
}

const word = fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/);
const credentials: fc.Arbitrary<Credentials> = fc.record(
  { accessKeyId: word, secretAccessKey: word, sessionToken: word },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const signerOptions: fc.Arbitrary<SignerOptions> = fc.record({
  service: fc.constantFrom('dynamodb', 'secretsmanager', 'sqs'),
  region: fc.constantFrom('us-east-1', 'cn-north-1', 'us-gov-west-1'),
  host: fc.oneof(
    fc.domain(),
    fc
      .tuple(fc.constantFrom('127.0.0.1', '[::1]', 'localhost'), fc.nat(65_535))
      .map((parts) => parts.join(':')),
  ),
  contentType: fc.constantFrom('application/x-amz-json-1.0', 'application/x-amz-json-1.1'),
  credentials,
});
const midnightMs = Date.UTC(2026, 11, 31, 24);
const actionRequests: fc.Arbitrary<ActionRequest[]> = fc.array(
  fc.record({
    action: fc.constantFrom('DynamoDB_20120810.PutItem', 'secretsmanager.GetSecretValue'),
    body: fc.string({ unit: character }),
    // Around the turn of a day and a year, since the signing key of a day is cached.
    at: fc.integer({ min: -100_000_000, max: 100_000_000 }).map((ms) => new Date(midnightMs + ms)),
  }),
  { minLength: 1, maxLength: 5 },
);

it('creates the same signatures as the AWS SDK for any service, body, credentials and time', async () => {
  await fc.assert(
    fc.asyncProperty(signerOptions, actionRequests, async (options, requests) => {
      const sign = createSigner(options);
      for (const { action, body, at } of requests) {
        expect(sign(action, body, at)).toEqual(await expected(options, { action, body, at }));
      }
    }),
  );
});

it('signs all headers and lists them in alphabetical order', () => {
  const sign = createSigner({
    service: 'dynamodb',
    region: 'us-east-1',
    host: 'dynamodb.us-east-1.amazonaws.com',
    contentType: 'application/x-amz-json-1.0',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' },
  });

  expect(sign('DynamoDB_20120810.GetItem', '{}', new Date(Date.UTC(2026, 10, 22, 3, 4, 5, 678)))).toEqual({
    'content-type': 'application/x-amz-json-1.0',
    host: 'dynamodb.us-east-1.amazonaws.com',
    'x-amz-date': '20261122T030405Z',
    'x-amz-security-token': 'token',
    'x-amz-target': 'DynamoDB_20120810.GetItem',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261122\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
    ),
  });
});
