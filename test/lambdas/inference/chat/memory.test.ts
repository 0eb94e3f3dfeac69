import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { retainedBytes } from '#test/support/chat/retained-bytes.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const streamed = {
  model: 'openai/gpt-4o',
  messages: [{ role: 'user', content: 'Say hello' }],
  stream: true,
};
const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

const maxBufferedBytes = 512 * kilobyte;

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

function watchBytesRead(baseUrl: string) {
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

it('buffers a non-streaming response of 5 MB in at most twice its size while the caller does not read', async () => {
  const { upstream, gateway } = await fixture.setUp();
  const completion = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(5 * megabyte) } }],
  });
  const bytes = Buffer.from(completion);
  upstream.script(jsonResponse(bytes), jsonResponse(bytes));
  await gateway.post({ ...streamed, stream: false });
  const before = retainedBytes();

  const call = await gateway.call(gateway.event({ ...streamed, stream: false }));
  await turns(10);
  expect(retainedBytes() - before).toBeLessThan(2 * bytes.length + megabyte);

  expect(await text(call.body)).toContain('x'.repeat(5 * megabyte));
  await call.invocation;
});

it('applies backpressure to the providers of 200 callers who do not read, and logs each after its disconnect', async () => {
  const { upstream, gateway } = await fixture.setUp({ limits: { drainBytes: 0 } });
  const connections = watchBytesRead(upstream.baseUrl);
  const chunk = event(deltaChunk({ content: 'x'.repeat(64 * kilobyte) }));
  const twentyMegabytes = Array.from({ length: Math.ceil((20 * megabyte) / chunk.length) }, () => chunk);
  upstream.script(...Array.from({ length: 200 }, () => streamResponse(twentyMegabytes)));

  const calls = await Promise.all(
    Array.from({ length: 200 }, () => gateway.call(gateway.event(streamed), new PassThrough())),
  );
  while (!calls.every(({ body }) => body.writableNeedDrain)) await nextTurn();
  // Enough time to receive three megabytes on each connection.
  await turns(50);

  const bytesRead = connections.bytesRead();
  expect(bytesRead).toHaveLength(200);
  expect(Math.max(...bytesRead)).toBeLessThan(maxBufferedBytes);
  connections.stop();

  for (const { body } of calls) body.destroy();
  await Promise.all(calls.map(({ invocation }) => invocation));
  const entries = await gateway.entries();
  expect(new Set(entries.map(({ id }) => id)).size).toBe(200);
  expect(new Set(entries.map(({ outcome, usage_source }) => `${outcome} ${usage_source}`))).toEqual(
    new Set(['client_closed estimated']),
  );
});

it('retains no more memory after an hour of streaming than after the first minutes', async () => {
  let sent = 0;
  const startMs = Date.UTC(2026, 10, 20, 12);
  const { upstream, gateway } = await fixture.setUp({
    dependencies: { now: () => new Date(startMs + sent * 100) },
  });
  const body = new PassThrough();
  const snapshots: { bytes: number; timers: number; listeners: number[] }[] = [];
  async function* chunks() {
    yield event(deltaChunk({ role: 'assistant', content: '' }));
    for (sent = 1; sent < 36_000; sent++) {
      yield event(deltaChunk({ content: ` word ${sent}` }));
      await nextTurn();
      if (sent === 3000 || sent === 35_999) {
        await turns(10);
        snapshots.push({
          bytes: retainedBytes(),
          timers: process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length,
          listeners: body.eventNames().map((name) => body.listenerCount(name)),
        });
      }
    }
    yield event(deltaChunk({}, 'stop')) + doneEvent;
  }
  upstream.script(streamResponse(chunks()));

  const call = await gateway.call(gateway.event(streamed), body);
  let length = 0;
  for await (const chunk of call.body) length += chunk.length;
  await call.invocation;

  const [early, late] = snapshots;
  expect(length).toBeGreaterThan(36_000 * 200);
  // The timers of the key lookup may have ended.
  expect(late?.timers).toBeLessThanOrEqual(early?.timers ?? 0);
  expect(late?.listeners).toEqual(early?.listeners);
  expect((late?.bytes ?? 0) - (early?.bytes ?? 0)).toBeLessThan(256 * kilobyte);
  expect((await gateway.entries())[0]).toMatchObject({ outcome: 'completed', latency_ms: 3_600_000 });
});
