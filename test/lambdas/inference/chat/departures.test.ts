import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import type { ChatHarnessOptions } from '#test/support/chat-harness.ts';
import {
  deltaChunk,
  doneEvent,
  event,
  eventsWithUsage,
} from '#test/support/providers/openai/openai-events.ts';
import {
  controlledStream,
  hangBeforeHeaders,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const streamed = { model: 'openai/gpt-4o', messages, stream: true };
const delta = event(deltaChunk({ role: 'assistant', content: 'Hel' }));

/** A stream whose caller has read one event and closed the connection. */
async function leaveAfterFirstEvent(limits: ChatHarnessOptions['limits'] = {}) {
  const { upstream, gateway } = await bench.setUp({ limits });
  const stream = controlledStream();
  upstream.script(stream.respond);
  const calling = gateway.call(gateway.event(streamed));
  await stream.write(delta);
  const call = await calling;
  call.body.destroy();
  await once(call.body, 'close');
  return { upstream, gateway, stream, call };
}

let bench: ChatFixture;

beforeAll(async () => {
  bench = await startChatFixture();
});

afterAll(() => bench.stop());

describe('A caller who leaves, or does not read', () => {
  it('in the middle of a stream does not stop the reading of its usage', async () => {
    const { gateway, stream, call } = await leaveAfterFirstEvent();
    for (const piece of eventsWithUsage('own-chunk')) await stream.write(piece);
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

  it('before there is an answer is logged with 499 and no time to a first token', async () => {
    const { upstream, gateway } = await bench.setUp();
    const stream = controlledStream();
    upstream.script(stream.respond);
    const body = new PassThrough();
    const calling = gateway.call(gateway.event(streamed), body);
    await upstream.takeRequest();
    body.destroy();
    await once(body, 'close');
    for (const piece of eventsWithUsage('own-chunk')) await stream.write(piece);
    await stream.end();
    await (await calling).invocation;
    expect((await gateway.entries())[0]).toMatchObject({
      status: 499,
      outcome: 'client_closed',
      total_tokens: 24,
      time_to_first_token_ms: null,
    });
  });

  it('is no reason to wait for a provider longer than the drain allows', async () => {
    const { upstream, gateway } = await bench.setUp({ limits: { drainMs: 20 } });
    const silent = controlledStream();
    upstream.script(hangBeforeHeaders, silent.respond);
    for (const moment of ['before its headers', 'in its stream']) {
      const body = new PassThrough();
      const calling = gateway.call(gateway.event(streamed), body);
      const request = await upstream.takeRequest();
      if (moment === 'in its stream') {
        await silent.write(delta);
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

  it('is no reason to read a provider further than the drain allows', async () => {
    const { gateway, upstream, stream, call } = await leaveAfterFirstEvent({ drainBytes: 10_000 });
    const request = await upstream.takeRequest();
    await stream.write(event(deltaChunk({ content: 'x'.repeat(10_000) })));
    await call.invocation;
    expect(await request.ended).toBe('closed_by_client');
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'client_closed',
      usage_source: 'estimated',
    });
  });

  it('has the outcome client_closed also when the provider fails then', async () => {
    const { gateway, stream, call } = await leaveAfterFirstEvent();
    await stream.cut('reset');
    await call.invocation;
    expect((await gateway.entries())[0]).toMatchObject({ outcome: 'client_closed', error_code: null });
  });

  it.each([
    [
      'a stream',
      streamResponse([delta, event(deltaChunk({ content: 'x'.repeat(100_000) }, 'stop')), doneEvent]),
    ],
    ['a plain answer', jsonResponse({ choices: [], padding: 'x'.repeat(100_000) })],
  ])('cannot hold the invocation by not reading %s', async (_, answer) => {
    // Of what is left of the function's time, all but ten seconds are the caller's.
    const { upstream, gateway } = await bench.setUp({ remainingMs: 10_200 });
    upstream.script(answer);
    const stuck = new PassThrough({ highWaterMark: 1 });
    const call = await gateway.call(gateway.event(streamed), stuck);
    await call.invocation;
    expect(stuck.destroyed).toBe(true);
    expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'client_closed' });
  });
});

describe('The time that the function has', () => {
  it('ends a provider that never ends its stream, with an error event and an entry', async () => {
    // All but twelve seconds are the provider's.
    const { upstream, gateway } = await bench.setUp({ remainingMs: 12_250 });
    upstream.script(streamResponse([delta], { ending: 'hang' }));
    const reply = await gateway.post(streamed);
    // What the gateway took before it called the provider is part of the time.
    expect(reply.text.replace(/0\.[12]\d*/, '0.25')).toBe(
      `${delta}data: {"error":{"message":"The provider took longer than 0.25 seconds","type":"api_error","param":null,"code":"provider_timeout"}}\n\n`,
    );
    expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'timeout' });
  });
});
