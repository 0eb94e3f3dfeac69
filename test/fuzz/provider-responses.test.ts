import { expect, it } from 'vitest';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { fc } from '#test/support/fast-check.ts';
import { readChunks } from '../support/http/read-chunks.ts';
import { type FuzzResponse, fuzzResponse } from './arbitraries/provider-responses.ts';
import { caseCount } from './cases.ts';
import { chatEvent, createFuzzGateway, type FuzzResult } from './gateway.ts';
import { logEntryProblems, responseProblems } from './response-checks.ts';

/** Passes the response on as the real transport does. */
function createTransport({ status, headers, chunks, isTruncated }: FuzzResponse): HttpTransport {
  return async (_, watch) => {
    async function* body() {
      for (const chunk of chunks) {
        watch.received(chunk.length);
        watch.pause();
        yield chunk;
        watch.resume();
      }
      watch.pause();
      if (isTruncated) throw new GatewayError('provider_error', { message: 'The connection closed' });
    }
    return { status, headers, read: readChunks(body()) };
  };
}

const numRuns = caseCount('provider responses');
const gateway = createFuzzGateway();

const send = (response: FuzzResponse): Promise<FuzzResult> =>
  gateway.send(
    chatEvent(gateway, { ...response.request, model: `${response.provider}/m` }),
    createTransport(response),
  );

it('returns a valid response and logs it once, whatever a provider sends', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fuzzResponse, async (response) => {
      const result = await send(response);
      statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1);
      const failures = result.status === 500 ? ['the gateway returned 500'] : [];
      expect([...responseProblems(result), ...logEntryProblems(result), ...failures]).toEqual([]);
    }),
    { numRuns },
  );
  // The cases must cover successes and failures.
  for (const status of [200, 400, 429, 502, 503]) {
    expect(statuses.get(status) ?? 0).toBeGreaterThan(numRuns / 100);
  }
});

it('returns the same response however a provider response is chunked', async () => {
  /** Without the request id, which is random. */
  const comparable = ({ status, text, headers, entries: [entry] }: FuzzResult) => {
    const id = headers['x-gateway-request-id'] ?? '';
    const json = JSON.stringify({ status, text, headers, entry });
    return json.replaceAll(id, 'id').replaceAll(id.replaceAll('-', '').slice(-24), 'id');
  };
  await fc.assert(
    fc.asyncProperty(fuzzResponse, async (response) => {
      const chunked = comparable(await send(response));
      expect(comparable(await send({ ...response, chunks: [Buffer.concat(response.chunks)] }))).toBe(chunked);
    }),
    { numRuns: caseCount('provider response chunks') },
  );
});
