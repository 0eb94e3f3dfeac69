import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type HttpChatServer, startHttpChatServer } from '#test/support/chat/http-server.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  event,
  exampleUsage,
} from '#test/support/providers/openai/events.ts';
import { controlledStream } from '#test/support/providers/upstream-responses.ts';

const streamed = {
  model: 'openai/gpt-4o',
  messages: [{ role: 'user', content: 'Say hello' }],
  stream: true,
};
const first = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
const stop = event(deltaChunk({}, 'stop'));
const usage = event(buildChunk({ usage: exampleUsage }));

let fixture: ChatFixture;
let server: HttpChatServer;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());
afterEach(async () => {
  vi.useRealTimers();
  await server.shutDown();
});

function post(gateway: ChatHandlerFixture, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${server.origin}/ai/chat/completions`, { method: 'POST', headers, body: text, ...init });
}

describe('Chat handler behind an HTTP server', () => {
  it('completes and logs many concurrent streams', async () => {
    const { upstream, gateway } = await fixture.setUp();
    server = await startHttpChatServer(gateway.handle);
    const streams = Array.from({ length: 40 }, () => controlledStream());
    upstream.script(...streams.map(({ respond }) => respond));

    const posting = streams.map(() => post(gateway, streamed));
    await Promise.all(streams.map((stream) => stream.write(first)));
    const responses = await Promise.all(posting);
    // All streams have started and none has ended.
    await Promise.all(
      streams.map(async (stream, number) => {
        await stream.write(event(deltaChunk({ content: `lo ${number}` })) + stop + usage + doneEvent);
        await stream.end();
      }),
    );
    const texts = await Promise.all(responses.map((response) => response.text()));
    await server.shutDown();

    const numbers = texts.map((text) => Number(/"lo (\d+)"/.exec(text)?.[1]));
    expect(new Set(numbers)).toEqual(new Set(streams.keys()));
    for (const [index, text] of texts.entries()) {
      expect(text).toBe(first + event(deltaChunk({ content: `lo ${numbers[index]}` })) + stop + doneEvent);
    }
    const entries = await gateway.entries();
    expect(new Set(entries.map(({ id }) => id))).toEqual(
      new Set(responses.map(({ headers }) => headers.get('x-gateway-request-id'))),
    );
    expect(entries.map(({ outcome, total_tokens }) => [outcome, total_tokens])).toEqual(
      streams.map(() => ['completed', 24]),
    );
  });

  it('stops draining and writes the log entry of a disconnected caller at shutdown', async () => {
    // With fake timers no deadline passes, so only the shutdown ends the draining.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { upstream, gateway } = await fixture.setUp();
    server = await startHttpChatServer(gateway.handle);
    const stream = controlledStream();
    upstream.script(stream.respond);
    const caller = new AbortController();
    const posting = post(gateway, streamed, { signal: caller.signal });
    await stream.write(first);
    const response = await posting;
    await response.body?.getReader().read();
    caller.abort();
    const request = await upstream.takeRequest();

    await server.shutDown();

    expect(await request.ended).toBe('closed_by_client');
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ outcome: 'client_closed', status: 200, usage_source: 'estimated' }),
    ]);
  });

  it('rejects a body that is too large or not UTF-8, as behind Lambda', async () => {
    const { gateway } = await fixture.setUp();
    server = await startHttpChatServer(gateway.handle);

    const tooLarge = await post(gateway, { ...streamed, user: 'a'.repeat(6 * 1024 * 1024) });
    const latin1 = await post(gateway, '', { body: Buffer.from('{"é":1}', 'latin1') });

    expect([tooLarge.status, latin1.status]).toEqual([413, 400]);
  });
});
