/** How far a provider's stream is read when something goes wrong in it; `streams.test.ts` has what callers get. */
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { relayStream } from '#lambdas/inference/chat/relay.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { startStreamFacts } from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { exampleExchange } from '#test/support/example-exchange.ts';
import { readChunks } from '#test/support/read-chunks.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const failure = new GatewayError('provider_error', { message: 'Failed' });

/** Relays the pieces in capitals; `!` is an error of the provider's, `?` a fault of the reader. */
async function relay(...pieces: string[]) {
  const source = { read: 0, closed: false };
  async function* read() {
    try {
      for (const piece of pieces) {
        source.read++;
        yield Buffer.from(piece);
      }
    } finally {
      source.closed = true;
    }
  }
  const facts = startStreamFacts();
  const reader = {
    facts,
    push(chunk: Buffer) {
      if (chunk.includes('?')) throw new TypeError('A fault that may quote a prompt');
      if (chunk.includes('!')) facts.error = failure;
      else facts.started = true;
      return Buffer.from(chunk.toString().toUpperCase());
    },
    end() {
      facts.complete = true;
      return Buffer.from('END');
    },
  };
  const body = new PassThrough();
  const watch = createDeadlineWatch({ firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 });
  const relayed = await relayStream(
    exampleExchange(body),
    { kind: 'stream', requestId: null, read: readChunks(read()), reader },
    { watch, lingerMs: 10, now: () => new Date(7) },
  );
  watch.stop();
  return { source, relayed, text: String(body.read() ?? '') };
}

describe('a stream', () => {
  it('is read to its end, and closed with what the reader has left', async () => {
    const { source, relayed, text } = await relay('a', 'b');
    expect([source, text]).toEqual([{ read: 2, closed: true }, 'ABEND']);
    expect(relayed).toMatchObject({ error: null, firstTokenAtMs: 7, isEstimated: false });
  });

  it('is read no further than the first error in it', async () => {
    const { source, relayed, text } = await relay('a', '!', 'b', 'c');
    expect([source, text]).toEqual([{ read: 2, closed: true }, 'A!']);
    expect(relayed).toMatchObject({ error: failure, isEstimated: true });
  });

  it('ends with an error of the gateway when its reader fails, which quotes nothing', async () => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { source, relayed, text } = await relay('a', '?', 'b');
    expect([source, text]).toEqual([{ read: 2, closed: true }, 'A']);
    expect(relayed.error?.toBody().error).toMatchObject({
      code: 'internal_error',
      message: 'The gateway failed to handle the request',
    });
    expect(String(lines.mock.calls)).not.toContain('quote');
  });
});
