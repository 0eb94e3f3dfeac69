/** Whatever comes over the wire, through the transport as it is deployed: bytes that are HTTP, and bytes that are not. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { fc } from '#test/support/fast-check.ts';
import { rawAnswer } from './arbitrary-http.ts';
import { fuzzCases } from './fuzz-cases.ts';
import { chatEvent, createFuzzGateway } from './fuzz-gateway.ts';
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts';
import { entryProblems, replyProblems } from './reply-checks.ts';

const numRuns = fuzzCases('provider bytes');

let upstream: RawUpstream;
beforeAll(async () => {
  upstream = await startRawUpstream();
});
afterAll(() => upstream.stop());

it('a provider may send any bytes', async () => {
  const gateway = createFuzzGateway({ baseUrl: upstream.baseUrl, firstByteMs: 60 });
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(rawAnswer, async ({ provider, request, raw }) => {
      upstream.answer = raw;
      const event = chatEvent(gateway, { ...request, model: `${provider}/m` });
      const reply = await gateway.send(event, createHttpTransport());
      upstream.hangUp();
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      const ours = reply.status === 500 ? ['a failure of ours'] : [];
      expect([...replyProblems(reply), ...entryProblems(reply), ...ours]).toEqual([]);
    }),
    { numRuns },
  );
  for (const status of [200, 502, 504]) {
    expect(statuses.get(status) ?? 0).toBeGreaterThan(numRuns / 100);
  }
});
