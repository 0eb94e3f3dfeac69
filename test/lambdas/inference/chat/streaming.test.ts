import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import {
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
  eventsWithUsage,
} from '#test/support/providers/openai/events.ts';
import { controlledStream, streamResponse } from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('Streaming completions', () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  it('forwards each event before the provider sends the next', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
    const [first, second] = [
      event(deltaChunk({ role: 'assistant', content: 'Hel' })),
      event(deltaChunk({ content: 'lo' })),
    ];
    await stream.write(first);
    const call = await calling;
    expect(call.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(String(await nextChunk(call.body))).toBe(first);
    await stream.write(second.slice(0, 10));
    await stream.write(second.slice(10));
    expect(String(await nextChunk(call.body))).toBe(second);
    const end = event(deltaChunk({}, 'stop')) + doneEvent;
    await stream.write(end);
    await stream.end();
    expect(await text(call.body)).toBe(end);
    await call.invocation;
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'completed',
      stream: true,
      finish_reason: 'stop',
      time_to_first_token_ms: expect.any(Number),
    });
  });

  it('requests usage from the provider and hides it from a caller who did not request it', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const response = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
      model: 'gpt-4o',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.text).not.toContain('"choices":[]');
    expect(response.text.endsWith(doneEvent)).toBe(true);
    expect((await gateway.entries())[0]).toMatchObject({
      input_tokens: 19,
      output_tokens: 5,
      usage_source: 'provider',
    });
  });

  it('forwards usage to a caller who requested it', async () => {
    const { gateway } = await fixture.setUp();
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
  ] as const)('reads usage in the location %s', async (location) => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(streamResponse(eventsWithUsage(location)));
    await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect((await gateway.entries())[0]).toMatchObject({
      input_tokens: 19,
      output_tokens: 5,
      total_tokens: 24,
    });
  });

  it('does not request usage from a provider that rejects the option', async () => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(streamResponse(eventsWithUsage('last-choice')));
    await gateway.post({ model: 'mistral/mistral-large-latest', messages, stream: true });
    expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
      model: 'mistral-large-latest',
      messages,
      stream: true,
    });
  });

  it('returns an HTTP error when the first event is an error', async () => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(
      streamResponse([': wait\n\n', errorEvent({ message: 'No capacity', code: 'overloaded' })]),
    );
    const response = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect([response.status, JSON.parse(response.text)]).toEqual([
      502,
      { error: { message: 'No capacity', type: 'api_error', param: null, code: 'overloaded' } },
    ]);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 502,
      outcome: 'provider_error',
      error_code: 'overloaded',
    });
  });

  it('ends with an error event and without [DONE] when a later event is an error', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const first = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
    upstream.script(streamResponse([first, errorEvent({ message: 'No capacity' }), doneEvent]));
    const response = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect(response.status).toBe(200);
    expect(response.text).toBe(
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
    'ends a truncated stream (%s) with an error event and drops the incomplete event',
    async (ending) => {
      const { upstream, gateway } = await fixture.setUp();
      const stream = controlledStream();
      upstream.script(stream.respond);
      const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
      const first = event(deltaChunk({ role: 'assistant', content: 'Hel' }));
      await stream.write(`${first}data: {"id":"c2","cho`);
      const call = await calling;
      expect(String(await nextChunk(call.body))).toBe(first);
      if (ending === 'complete') await stream.end();
      else await stream.disconnect(ending);
      const rest = await text(call.body);
      await call.invocation;
      expect(rest).toMatch(
        /^data: \{"error":\{"message":".*(?:was truncated|ended early).*","type":"api_error","param":null,"code":"provider_error"\}\}\n\n$/,
      );
      expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'provider_error' });
    },
  );

  it.each(['reset', 'hang'] as const)(
    'completes a stream that has sent [DONE] regardless of the connection (%s)',
    async (ending) => {
      const { upstream, gateway } = await fixture.setUp({ limits: { closeGraceMs: 20 } });
      const stream = controlledStream();
      upstream.script(stream.respond);
      const calling = gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      const events = event(deltaChunk({ role: 'assistant', content: 'Hi' }, 'stop')) + doneEvent;
      await stream.write(events);
      if (ending === 'reset') await stream.disconnect('reset');

      expect((await calling).text).toBe(events);
      expect((await gateway.entries())[0]).toMatchObject({
        status: 200,
        outcome: 'completed',
        error_code: null,
      });
    },
  );

  it('buffers less than 512 kB of a large stream', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const textChunk = event(deltaChunk({ content: 'x'.repeat(64 * 1024) }));
    upstream.script(
      streamResponse([
        ...Array.from({ length: 200 }, () => textChunk),
        event(deltaChunk({}, 'stop')),
        doneEvent,
      ]),
    );
    const call = await gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
    let [length, maxBuffered] = [0, 0];
    for await (const chunk of call.body) {
      length += chunk.length;
      maxBuffered = Math.max(maxBuffered, call.body.writableLength + call.body.readableLength);
    }
    await call.invocation;
    expect(length).toBeGreaterThan(200 * 64 * 1024);
    expect(maxBuffered).toBeLessThan(512 * 1024);
  });
});

async function nextChunk(body: NodeJS.ReadableStream & { read(): unknown }): Promise<unknown> {
  for (;;) {
    const chunk = body.read();
    if (chunk !== null) return chunk;
    await once(body, 'readable');
  }
}
