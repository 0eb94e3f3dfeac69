import { expect, it } from 'vitest';
import {
  createPathSigner,
  encodePathSegment,
  type PathRequest,
  type SigningScope,
} from '#lambdas/platform/aws/sigv4.ts';
import { signWithSdk } from '#test/support/aws/sign-with-sdk.ts';
import { character, fc } from '#test/support/fast-check.ts';

const word = fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/);
const scopes: fc.Arbitrary<SigningScope> = fc.record({
  service: fc.constantFrom('bedrock', 'sqs'),
  region: fc.constantFrom('us-east-1', 'cn-north-1'),
  credentials: fc.record(
    { accessKeyId: word, secretAccessKey: word, sessionToken: word },
    { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
  ),
});
const segment = fc.oneof(
  fc.constantFrom('model', '', '%2F', "!'()*", 'amazon.nova-lite-v1:0'),
  // Segments of dots only are excluded, since URL parsing resolves `.` and `..`.
  fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !/^\.+$/.test(text))
    .map(encodePathSegment),
);
const midnightMs = Date.UTC(2026, 11, 31, 24);
const requests: fc.Arbitrary<PathRequest[]> = fc.array(
  fc.record({
    path: fc.array(segment).map((segments) => `/${segments.join('/')}`),
    headers: fc
      .dictionary(
        fc.constantFrom('amz-sdk-request', 'content-type', 'x-amz-user-agent', 'x-amz-a', 'x-amzn-z'),
        word,
      )
      .map((headers) => ({ ...headers, host: 'bedrock-runtime.us-east-1.amazonaws.com' })),
    body: fc.string({ unit: character }),
    // Around the turn of a day and a year, since the signing key of a day is cached.
    at: fc.integer({ min: -100_000_000, max: 100_000_000 }).map((ms) => new Date(midnightMs + ms)),
  }),
  { minLength: 1, maxLength: 5 },
);

it('creates the same signatures as the AWS SDK for any path, headers, body, credentials and time', async () => {
  await fc.assert(
    fc.asyncProperty(scopes, requests, async (scope, sent) => {
      const sign = createPathSigner(scope);
      for (const request of sent) {
        expect(sign(request)).toEqual(await signWithSdk(scope, request));
      }
    }),
  );
});
