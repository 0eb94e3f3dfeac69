/** What the gateway holds of an answer: little, however large it is, however slowly it is read, however long it goes on. */
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/openai-events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { retainedBytes } from '#test/support/retained-bytes.ts';

const streamed = {
  model: 'openai/gpt-4o',
  messages: [{ role: 'user', content: 'Say hello' }],
  stream: true,
};
const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** What a stream may have taken from its provider beyond what its caller has read. */
const mostHeldOfStream = 512 * kilobyte;

let bench: ChatFixture;
beforeAll(async () => {
  bench = await startChatFixture();
});
afterAll(() => bench.stop());

/** Every request to this address, with the bytes that came over its connection. */
function watchRequests(baseUrl: string) {
  const { host } = new URL(baseUrl);
  const requests: ClientRequest[] = [];
  const listener: ChannelListener = (message) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader('host') === host) requests.push(request);
  };
  subscribe('http.client.request.start', listener);
  return {
    bytesRead: () => requests.map(({ socket }) => socket?.bytesRead ?? 0),
    stop: () => unsubscribe('http.client.request.start', listener),
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

it('holds a plain answer of 5 MB once, in room for twice as much, while it is not read', async () => {
  const { upstream, gateway } = await bench.setUp();
  const answer = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(5 * megabyte) } }],
  });
  const bytes = Buffer.from(answer);
  upstream.script(jsonResponse(bytes), jsonResponse(bytes));
  await gateway.post({ ...streamed, stream: false });
  const before = retainedBytes();

  const call = await gateway.call(gateway.event({ ...streamed, stream: false }));
  await turns(10);
  expect(retainedBytes() - before).toBeLessThan(2 * bytes.length + megabyte);

  expect(await text(call.body)).toContain('x'.repeat(5 * megabyte));
  await call.invocation;
});

it('takes little from the providers of 200 callers who do not read, and logs each once they have gone', async () => {
  const { upstream, gateway } = await bench.setUp({ limits: { drainBytes: 0 } });
  const connections = watchRequests(upstream.baseUrl);
  const piece = event(deltaChunk({ content: 'x'.repeat(64 * kilobyte) }));
  const offers = (function* () {
    for (let bytes = 0; bytes < 20 * megabyte; bytes += piece.length) yield piece;
  })();
  const twentyMegabytes = [...offers];
  upstream.script(...Array.from({ length: 200 }, () => streamResponse(twentyMegabytes)));

  const calls = await Promise.all(
    Array.from({ length: 200 }, () => gateway.call(gateway.event(streamed), new PassThrough())),
  );
  while (!calls.every(({ body }) => body.writableNeedDrain)) await nextTurn();
  // Time in which three megabytes of each could come.
  await turns(50);

  const taken = connections.bytesRead();
  expect(taken).toHaveLength(200);
  expect(Math.max(...taken)).toBeLessThan(mostHeldOfStream);
  connections.stop();

  for (const { body } of calls) body.destroy();
  await Promise.all(calls.map(({ invocation }) => invocation));
  const entries = await gateway.entries();
  expect(new Set(entries.map(({ id }) => id)).size).toBe(200);
  expect(new Set(entries.map(({ outcome, usage_source }) => `${outcome} ${usage_source}`))).toEqual(
    new Set(['client_closed estimated']),
  );
});

it('holds no more after an hour of a stream than after its first minutes', async () => {
  let sent = 0;
  const startMs = Date.UTC(2026, 10, 20, 12);
  const { upstream, gateway } = await bench.setUp({
    services: { now: () => new Date(startMs + sent * 100) },
  });
  const body = new PassThrough();
  const snapshots: { held: number; timers: number; listeners: number[] }[] = [];
  async function* chunks() {
    yield event(deltaChunk({ role: 'assistant', content: '' }));
    for (sent = 1; sent < 36_000; sent++) {
      yield event(deltaChunk({ content: ` word ${sent}` }));
      await nextTurn();
      if (sent === 3000 || sent === 35_999) {
        await turns(10);
        snapshots.push({
          held: retainedBytes(),
          timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
          listeners: body.eventNames().map((name) => body.listenerCount(name)),
        });
      }
    }
    yield event(deltaChunk({}, 'stop')) + doneEvent;
  }
  upstream.script(streamResponse(chunks()));

  const call = await gateway.call(gateway.event(streamed), body);
  let bytes = 0;
  for await (const piece of call.body) bytes += piece.length;
  await call.invocation;

  const [early, late] = snapshots;
  expect(bytes).toBeGreaterThan(36_000 * 200);
  // Fewer, once those of the look-up of the key are over.
  expect(late?.timers).toBeLessThanOrEqual(early?.timers ?? 0);
  expect(late?.listeners).toEqual(early?.listeners);
  expect((late?.held ?? 0) - (early?.held ?? 0)).toBeLessThan(256 * kilobyte);
  expect((await gateway.entries())[0]).toMatchObject({ outcome: 'completed', latency_ms: 3_600_000 });
});
