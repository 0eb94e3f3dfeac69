/** Whatever a provider sends, in whatever pieces: it is told in OpenAI's shape, logged once, and never a crash. */
import { expect, it } from 'vitest';
import type { HttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { fc } from '#test/support/fast-check.ts';
import { readChunks } from '../support/read-chunks.ts';
import { type FuzzAnswer, fuzzAnswer } from './arbitrary-answers.ts';
import { fuzzCases } from './fuzz-cases.ts';
import { chatEvent, createFuzzGateway, type FuzzReply } from './fuzz-gateway.ts';
import { entryProblems, replyProblems } from './reply-checks.ts';

/** What the real transport would hand on of it. */
function transportOf({ status, headers, chunks, breaksOff }: FuzzAnswer): HttpTransport {
  return async (_, watch) => {
    async function* body() {
      for (const chunk of chunks) {
        watch.received(chunk.length);
        watch.pause();
        yield chunk;
        watch.resume();
      }
      watch.pause();
      if (breaksOff) throw new GatewayError('provider_error', { message: 'It broke off' });
    }
    return { status, headers, read: readChunks(body()) };
  };
}

const numRuns = fuzzCases('provider answers');
const gateway = createFuzzGateway();

const ask = (answer: FuzzAnswer): Promise<FuzzReply> =>
  gateway.send(chatEvent(gateway, { ...answer.request, model: `${answer.provider}/m` }), transportOf(answer));

it('a provider may send anything', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fuzzAnswer, async (answer) => {
      const reply = await ask(answer);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      const ours = reply.status === 500 ? ['a failure of ours'] : [];
      expect([...replyProblems(reply), ...entryProblems(reply), ...ours]).toEqual([]);
    }),
    { numRuns },
  );
  // Enough answers must be good, and enough be bad.
  for (const status of [200, 400, 429, 502, 503]) {
    expect(statuses.get(status) ?? 0).toBeGreaterThan(numRuns / 100);
  }
});

it('it does not matter where it is cut', async () => {
  /** Without the id, which is another one each time. */
  const shown = ({ status, text, headers, entries: [entry] }: FuzzReply) => {
    const id = headers['x-gateway-request-id'] ?? '';
    const told = JSON.stringify({ status, text, headers, entry });
    return told.replaceAll(id, 'id').replaceAll(id.replaceAll('-', '').slice(-24), 'id');
  };
  await fc.assert(
    fc.asyncProperty(fuzzAnswer, async (answer) => {
      const inPieces = shown(await ask(answer));
      expect(shown(await ask({ ...answer, chunks: [Buffer.concat(answer.chunks)] }))).toBe(inPieces);
    }),
    { numRuns: fuzzCases('provider answers cut') },
  );
});
