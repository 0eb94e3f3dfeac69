/** Fuzzes the deployed transport with bytes from a provider that are valid HTTP or not. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { fc } from '#test/support/fast-check.ts';
import { rawResponse } from './arbitraries/raw-responses.ts';
import { caseCount } from './cases.ts';
import { chatEvent, createFuzzGateway } from './gateway.ts';
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts';
import { logEntryProblems, responseProblems } from './response-checks.ts';

const numRuns = caseCount('provider bytes');

let upstream: RawUpstream;
beforeAll(async () => {
  upstream = await startRawUpstream();
});
afterAll(() => upstream.stop());

it('returns a valid response and logs it once, whatever bytes a provider sends', async () => {
  // A busy machine may need longer than the short time limit for a response that ends.
  const patient = createFuzzGateway({ baseUrl: upstream.baseUrl, firstByteMs: 1000 });
  const impatient = createFuzzGateway({ baseUrl: upstream.baseUrl, firstByteMs: 60 });
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(rawResponse, async ({ provider, request, raw }) => {
      const gateway = raw.ending === 'hang' ? impatient : patient;
      upstream.response = raw;
      const event = chatEvent(gateway, { ...request, model: `${provider}/m` });
      const result = await gateway.send(event, createHttpTransport());
      upstream.closeConnections();
      statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1);
      const failures = result.status === 500 ? ['the gateway returned 500'] : [];
      expect([...responseProblems(result), ...logEntryProblems(result), ...failures]).toEqual([]);
    }),
    { numRuns },
  );
  for (const status of [200, 502, 504]) {
    expect(statuses.get(status) ?? 0).toBeGreaterThan(numRuns / 1000);
  }
});
