/** Tests where the reading of a failing stream stops; `streaming.test.ts` covers what callers receive. */
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chat } from '#lambdas/inference/chat/operation.ts';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { chatLimits, defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { relayStream } from '#lambdas/inference/exchange/relay.ts';
import { createStreamResponse } from '#lambdas/inference/exchange/stream-response.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { exampleExchange } from '#test/support/chat/example-exchange.ts';
import { readChunks } from '#test/support/http/read-chunks.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const failure = new GatewayError('provider_error', { message: 'Failed' });

/**
 * Relays the chunks in upper case. `!` is an error event of the provider, `?` a bug in the reader, `.` a finish reason, and
 * `+` content after one.
 */
async function relay(...chunks: string[]) {
  const source = { read: 0, closed: false };
  async function* read() {
    try {
      for (const chunk of chunks) {
        source.read++;
        yield Buffer.from(chunk);
      }
    } finally {
      source.closed = true;
    }
  }
  const facts = startReaderFacts();
  const reader = {
    facts,
    push(chunk: Buffer) {
      if (chunk.includes('?')) throw new TypeError('A bug that may quote a prompt');
      if (chunk.includes('!')) facts.error = failure;
      else facts.started = true;
      facts.finished ||= chunk.includes('.');
      facts.continued ||= chunk.includes('+');
      return Buffer.from(chunk.toString().toUpperCase());
    },
    end() {
      facts.ended = true;
      return Buffer.from('END');
    },
  };
  const body = new PassThrough();
  const watch = createDeadlineWatch({ firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 });
  const settleWithin = vi.spyOn(watch, 'settleWithin');
  const exchange = {
    ...exampleExchange(body),
    parsed: chat.parse('{"model":"openai/gpt-4o","messages":[]}'),
  };
  const limits = { ...chatLimits(defaultChatLimits, { flushMs: 0 }), heartbeatMs: 0 };
  const outputLimit = () => ({ maxOutputTokens: null, completions: 1 });
  const stream = createStreamResponse({ response: exchange.response, headers: () => ({}), limits });
  const relayed = await relayStream(
    exchange,
    { kind: 'success', requestId: null, callerHeaders: {}, read: readChunks(read()), reader },
    { watch, limits, outputLimit, stream, fallback: null, now: () => new Date(7) },
  );
  stream.stop();
  watch.stop();
  return { source, relayed, text: String(body.read() ?? ''), settled: settleWithin.mock.calls };
}

describe('relayStream', () => {
  it("reads a stream to its end and forwards the reader's remaining bytes", async () => {
    const { source, relayed, text } = await relay('a', 'b');
    expect([source, text]).toEqual([{ read: 2, closed: true }, 'ABEND']);
    expect(relayed).toMatchObject({ error: null, firstTokenAtMs: 7, isUsageEstimated: true });
  });

  it('stops reading at the first error event', async () => {
    const { source, relayed, text } = await relay('a', '!', 'b', 'c');
    expect([source, text]).toEqual([{ read: 2, closed: true }, 'A!']);
    expect(relayed).toMatchObject({ error: failure, isUsageEstimated: true });
  });

  it('waits for the end of a finished response, and again after content that follows', async () => {
    const { settled } = await relay('a', '.', 'b', '+', 'c');
    expect(settled).toEqual([
      [5000, { restart: false }],
      [5000, { restart: false }],
      [5000, { restart: true }],
      [5000, { restart: false }],
    ]);
  });

  it('returns an internal error without details when the reader throws', async () => {
    const lines = recordLogLines();
    const { source, relayed, text } = await relay('a', '?', 'b');
    expect([source, text]).toEqual([{ read: 2, closed: true }, 'A']);
    expect(relayed.error?.toBody().error).toMatchObject({
      code: 'internal_error',
      message: 'The gateway failed to handle the request',
    });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('quote');
  });
});
