import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHandlerFixtureOptions } from '#test/support/chat/handler-fixture.ts';
import { deltaChunk, doneEvent, event, eventsWithUsage } from '#test/support/providers/openai/events.ts';
import {
  controlledStream,
  hangBeforeHeaders,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const streamed = { model: 'openai/gpt-4o', messages, stream: true };
const delta = event(deltaChunk({ role: 'assistant', content: 'Hel' }));

async function disconnectAfterFirstEvent(limits: ChatHandlerFixtureOptions['limits'] = {}) {
  const { upstream, gateway } = await fixture.setUp({ limits });
  const stream = controlledStream();
  upstream.script(stream.respond);
  const calling = gateway.call(gateway.event(streamed));
  await stream.write(delta);
  const call = await calling;
  call.body.destroy();
  await once(call.body, 'close');
  return { upstream, gateway, stream, call };
}

let fixture: ChatFixture;

beforeAll(async () => {
  fixture = await startChatFixture();
});

afterAll(() => fixture.stop());

describe('Client disconnects', () => {
  it('keeps reading usage after the client disconnects mid-stream', async () => {
    const { gateway, stream, call } = await disconnectAfterFirstEvent();
    for (const chunk of eventsWithUsage('own-chunk')) await stream.write(chunk);
    await stream.end();
    await call.invocation;
    expect((await gateway.entries())[0]).toMatchObject({
      status: 200,
      outcome: 'client_closed',
      input_tokens: 19,
      output_tokens: 5,
      error_code: null,
    });
  });

  it('logs status 499 without a time to first token when the client disconnects before the response', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const stream = controlledStream();
    upstream.script(stream.respond);
    const body = new PassThrough();
    const calling = gateway.call(gateway.event(streamed), body);
    await upstream.takeRequest();
    body.destroy();
    await once(body, 'close');
    for (const chunk of eventsWithUsage('own-chunk')) await stream.write(chunk);
    await stream.end();
    await (await calling).invocation;
    expect((await gateway.entries())[0]).toMatchObject({
      status: 499,
      outcome: 'client_closed',
      total_tokens: 24,
      time_to_first_token_ms: null,
    });
  });

  it('stops waiting for the provider when the drain time is over', async () => {
    const { upstream, gateway } = await fixture.setUp({ limits: { drainMs: 20 } });
    const idle = controlledStream();
    upstream.script(hangBeforeHeaders, idle.respond);
    for (const moment of ['before its headers', 'in its stream']) {
      const body = new PassThrough();
      const calling = gateway.call(gateway.event(streamed), body);
      const request = await upstream.takeRequest();
      if (moment === 'in its stream') {
        await idle.write(delta);
        await calling;
      }
      body.destroy();
      expect(await request.ended).toBe('closed_by_client');
      await (await calling).invocation;
    }
    const entries = await gateway.entries();
    expect(entries.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['client_closed', 499],
      ['client_closed', 200],
    ]);
  });

  it('stops reading from the provider when the drain size is exceeded', async () => {
    const { gateway, upstream, stream, call } = await disconnectAfterFirstEvent({ drainBytes: 10_000 });
    const request = await upstream.takeRequest();
    await stream.write(event(deltaChunk({ content: 'x'.repeat(10_000) })));
    await call.invocation;
    expect(await request.ended).toBe('closed_by_client');
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'client_closed',
      usage_source: 'estimated',
    });
  });

  it('logs the outcome client_closed even if the provider fails after the disconnect', async () => {
    const { gateway, stream, call } = await disconnectAfterFirstEvent();
    await stream.disconnect('reset');
    await call.invocation;
    expect((await gateway.entries())[0]).toMatchObject({ outcome: 'client_closed', error_code: null });
  });

  it.each([
    [
      'a stream',
      true,
      streamResponse([delta, event(deltaChunk({ content: 'x'.repeat(100_000) }, 'stop')), doneEvent]),
    ],
    [
      'a non-streaming response',
      false,
      jsonResponse({ choices: [{ finish_reason: 'stop' }], padding: 'x'.repeat(100_000) }),
    ],
  ])('ends the invocation when the client does not read %s', async (_, stream, respond) => {
    // The response's deadline is ten seconds before the end of the function's remaining time. It must have started before.
    const { upstream, gateway } = await fixture.setUp({ remainingMs: 11_500 });
    upstream.script(respond);
    const unread = new PassThrough({ highWaterMark: 1 });
    const call = await gateway.call(gateway.event({ ...streamed, stream }), unread);
    await call.invocation;
    expect(unread.destroyed).toBe(true);
    expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'client_closed' });
  });
});

describe('Function timeout', () => {
  it('ends a stream that the provider does not end, with an error event and a log entry', async () => {
    // The provider's deadline is 16 seconds before the end of the function's remaining time.
    const { upstream, gateway } = await fixture.setUp({ remainingMs: 16_250 });
    upstream.script(streamResponse([delta], { ending: 'hang' }));
    const response = await gateway.post(streamed);
    // The deadline includes the time before the provider was called.
    expect(response.text.replace(/0\.[12]\d*/, '0.25')).toBe(
      `${delta}data: {"error":{"message":"The provider took longer than 0.25 seconds","type":"api_error","param":null,"code":"provider_timeout"}}\n\n`,
    );
    expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'timeout' });
  });
});
