import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createStreamTest } from '#lambdas/inference/stream-test.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { collectLogLines } from '#test/support/log-lines.ts';

const apiKey = requestKey();
const startMs = Date.parse('2026-01-01T12:00:00.000Z');

function startTest({ onWait = () => {} }: { onWait?: (body: PassThrough) => void } = {}) {
  let nowMs = startMs;
  const lines: string[] = [];
  const body = new PassThrough();
  const heads: [number, Record<string, string>][] = [];
  const response = createResponseSink(body, (...head) => {
    heads.push(head);
    return body;
  });
  const sendStreamTest = createStreamTest({
    flushMs: 0,
    log: collectLogLines((line) => lines.push(line)),
    now: () => new Date(nowMs),
    wait: async (ms) => {
      nowMs += ms;
      onWait(body);
    },
  });
  return { body, heads, lines, sent: sendStreamTest(response, apiKey) };
}

it('sends 20 numbered events, 300 ms apart, with the time at which each was written, and a comment after every fifth', async () => {
  const { body, heads, sent } = startTest();
  const received = await text(body);
  await sent;

  expect(heads).toEqual([
    [200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }],
  ]);
  const events = Array.from({ length: 20 }, (_, index) => ({
    number: index + 1,
    count: 20,
    written_at: new Date(startMs + 300 * index).toISOString(),
  }));
  const comment = ({ number }: { number: number }) => (number % 5 === 0 ? ': ping\n\n' : '');
  expect(received).toBe(
    events.map((event) => `data: ${JSON.stringify(event)}\n\n${comment(event)}`).join(''),
  );
});

it('logs the caller', async () => {
  const { body, lines, sent } = startTest();
  body.resume();
  await sent;
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      event: 'stream_test',
      organization_id: apiKey.organization_id,
      api_key_id: apiKey.id,
    }),
  ]);
});

it('ends when the caller has disconnected', async () => {
  let waits = 0;
  const { sent } = startTest({
    onWait(body) {
      waits += 1;
      if (waits === 3) body.destroy();
    },
  });
  await sent;
  expect(waits).toBeLessThan(6);
});
