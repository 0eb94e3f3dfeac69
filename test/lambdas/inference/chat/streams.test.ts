import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import {
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
  eventsWithUsage,
} from '#test/support/providers/openai/openai-events.ts';
import { controlledStream, streamResponse } from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('POST /ai/chat/completions with a stream', () => {
  let bench: ChatFixture;
  beforeAll(async () => {
    bench = await startChatFixture();
  });
  afterAll(() => bench.stop());

  it('arrives piece by piece, before the provider has sent the next one', async () => {
    const { upstream, gateway } = await bench.setUp();
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
    const [first, second] = [
      event(deltaChunk({ role: 'assistant', content: 'Hel' })),
      event(deltaChunk({ content: 'lo' }, 'stop')),
    ];
    await stream.write(first);
    const call = await calling;
    expect(call.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(String(await nextPiece(call.body))).toBe(first);
    await stream.write(second.slice(0, 10));
    await stream.write(second.slice(10));
    expect(String(await nextPiece(call.body))).toBe(second);
    await stream.write(doneEvent);
    await stream.end();
    expect(await text(call.body)).toBe(doneEvent);
    await call.invocation;
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'completed',
      stream: true,
      finish_reason: 'stop',
      time_to_first_token_ms: expect.any(Number),
    });
  });

  it('is asked to bring its usage, which the caller who did not ask does not see', async () => {
    const { upstream, gateway } = await bench.setUp();
    const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
      model: 'gpt-4o',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(reply.text).not.toContain('"choices":[]');
    expect(reply.text.endsWith(doneEvent)).toBe(true);
    expect((await gateway.entries())[0]).toMatchObject({
      input_tokens: 19,
      output_tokens: 5,
      usage_source: 'provider',
    });
  });

  it('brings usage to the caller who asked for it', async () => {
    const { gateway } = await bench.setUp();
    const body = {
      model: 'openai/gpt-4o',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    };
    expect((await gateway.post(body)).text).toContain('"choices":[],"usage":{"prompt_tokens":19');
  });

  it.each([
    'own-chunk',
    'last-choice',
    'inside-choice',
    'x_groq',
    'every-chunk',
    'after-stop-with-choices',
  ] as const)('is billed by usage in the place %s', async (place) => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(streamResponse(eventsWithUsage(place)));
    await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect((await gateway.entries())[0]).toMatchObject({
      input_tokens: 19,
      output_tokens: 5,
      total_tokens: 24,
    });
  });

  it('is not asked for usage where the provider refuses that', async () => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(streamResponse(eventsWithUsage('last-choice')));
    await gateway.post({ model: 'mistral/mistral-large-latest', messages, stream: true });
    expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
      model: 'mistral-large-latest',
      messages,
      stream: true,
    });
  });

  it('that fails with its first event is an HTTP error', async () => {
    const { upstream, gateway } = await bench.setUp();
    upstream.script(
      streamResponse([': wait\n\n', errorEvent({ message: 'No capacity', code: 'overloaded' })]),
    );
    const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      502,
      { error: { message: 'No capacity', type: 'api_error', param: null, code: 'overloaded' } },
    ]);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 502,
      outcome: 'provider_error',
      error_code: 'overloaded',
    });
  });

  it('that fails later ends with an error event and without [DONE]', async () => {
    const { upstream, gateway } = await bench.setUp();
    const first = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
    upstream.script(streamResponse([first, errorEvent({ message: 'No capacity' }), doneEvent]));
    const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect(reply.status).toBe(200);
    expect(reply.text).toBe(
      first +
        'data: {"error":{"message":"No capacity","type":"api_error","param":null,"code":"provider_error"}}\n\n',
    );
    expect((await gateway.entries())[0]).toMatchObject({
      status: 200,
      outcome: 'provider_error',
      error_code: 'provider_error',
    });
  });

  it.each(['complete', 'close', 'reset'] as const)(
    'that breaks off (%s) says so, and keeps no half event',
    async (ending) => {
      const { upstream, gateway } = await bench.setUp();
      const stream = controlledStream();
      upstream.script(stream.respond);
      const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
      const first = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
      await stream.write(`${first}data: {"id":"c2","cho`);
      const call = await calling;
      expect(String(await nextPiece(call.body))).toBe(first);
      if (ending === 'complete') await stream.end();
      else await stream.cut(ending);
      const rest = await text(call.body);
      await call.invocation;
      expect(rest).toMatch(
        /^data: \{"error":\{"message":".*broke off.*","type":"api_error","param":null,"code":"provider_error"\}\}\n\n$/,
      );
      expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'provider_error' });
    },
  );

  it.each(['reset', 'hang'] as const)(
    'that has ended is whole, whatever becomes of the connection (%s)',
    async (ending) => {
      const { upstream, gateway } = await bench.setUp({ limits: { lingerMs: 20 } });
      const stream = controlledStream();
      upstream.script(stream.respond);
      const calling = gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      const events = event(deltaChunk({ role: 'assistant', content: 'Hi' }, 'stop')) + doneEvent;
      await stream.write(events);
      if (ending === 'reset') await stream.cut('reset');

      expect((await calling).text).toBe(events);
      expect((await gateway.entries())[0]).toMatchObject({
        status: 200,
        outcome: 'completed',
        error_code: null,
      });
    },
  );

  it('holds little of a large answer, however slowly it is read', async () => {
    const { upstream, gateway } = await bench.setUp();
    const piece = event(deltaChunk({ content: 'x'.repeat(64 * 1024) }));
    upstream.script(
      streamResponse([...Array.from({ length: 200 }, () => piece), event(deltaChunk({}, 'stop')), doneEvent]),
    );
    const call = await gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
    let [length, mostHeld] = [0, 0];
    for await (const chunk of call.body) {
      length += chunk.length;
      mostHeld = Math.max(mostHeld, call.body.writableLength + call.body.readableLength);
    }
    await call.invocation;
    expect(length).toBeGreaterThan(200 * 64 * 1024);
    expect(mostHeld).toBeLessThan(512 * 1024);
  });
});

async function nextPiece(body: NodeJS.ReadableStream & { read(): unknown }): Promise<unknown> {
  for (;;) {
    const piece = body.read();
    if (piece !== null) return piece;
    await once(body, 'readable');
  }
}
