import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promptOf } from '#lambdas/inference/chat/prompt.ts';
import { type ReaderFacts, startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { completeUsage } from '#lambdas/inference/completion/usage.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { buildChunk, deltaChunk, event, exampleUsage } from '#test/support/providers/openai/events.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import {
  controlledStream,
  hangBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

/** Nine bytes of text are estimated as three tokens. */
const messages = [{ role: 'user', content: 'Say hello' }];
const streamed = { model: 'openai/gpt-4o', messages, stream: true };

const first = event(deltaChunk({ role: 'assistant', content: 'Hel' }));

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

async function entryOfTruncatedStream(events: string[], request: object = streamed) {
  const { upstream, gateway } = await fixture.setUp();
  const stream = controlledStream();
  upstream.script(stream.respond);
  const calling = gateway.post(request);
  for (const chunk of events) await stream.write(chunk);
  await stream.disconnect('close');
  await calling;
  const [entry] = await gateway.entries();
  return entry;
}

describe('Estimated usage', () => {
  it('estimates usage when draining stops after the caller disconnects', async () => {
    const { upstream, gateway } = await fixture.setUp({ limits: { drainBytes: 10_000 } });
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = gateway.call(gateway.event(streamed));
    await stream.write(first);
    const call = await calling;
    call.body.destroy();
    await once(call.body, 'close');
    await stream.write(event(deltaChunk({ content: 'x'.repeat(4097) })));
    await stream.write(`: ${'y'.repeat(10_000)}\n\n`);
    await call.invocation;

    // 3 + 4097 bytes of text.
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'client_closed',
      usage_source: 'estimated',
      input_tokens: 3,
      output_tokens: 1025,
      total_tokens: 1028,
      cached_input_tokens: 0,
      reasoning_tokens: 0,
      // 3 × $0.15 + 1025 × $0.6 per million, since the response's model is gpt-4o-mini.
      cost_usd: '0.00061545',
      pricing: 'table',
      error_code: null,
    });
  });

  it('estimates usage when the provider stops sending', async () => {
    const { upstream, gateway } = await fixture.setUp({ limits: { idleMs: 30 } });
    upstream.script(streamResponse([first], { ending: 'hang' }));
    await gateway.post(streamed);
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'timeout',
      usage_source: 'estimated',
      input_tokens: 3,
      output_tokens: 1,
      cost_usd: '0.00000105',
    });
  });

  it('estimates output tokens from the text of all choices, reasoning and tool calls', async () => {
    const choices = ['one', 'three', 'eight...'].map((content, index) => ({ index, delta: { content } }));
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } };
    const entry = await entryOfTruncatedStream(
      [
        event(buildChunk({ choices })),
        event(deltaChunk({ reasoning_content: 'Hm' })),
        event(deltaChunk({ tool_calls: [call] })),
      ],
      { ...streamed, n: 3 },
    );
    // 3 + 5 + 8 + 2 + 9 bytes.
    expect(entry).toMatchObject({ outcome: 'provider_error', usage_source: 'estimated', output_tokens: 7 });
  });

  it('estimates usage when the stream is cut between the finish reason and the usage, which is complete', async () => {
    const entry = await entryOfTruncatedStream([first, event(deltaChunk({ content: 'lo' }, 'stop'))]);
    expect(entry).toMatchObject({
      outcome: 'completed',
      finish_reason: 'stop',
      usage_source: 'estimated',
      input_tokens: 3,
      output_tokens: 2,
    });
  });

  it('estimates input tokens from the text of the messages without files', async () => {
    const image = `data:image/png;base64,${'A'.repeat(4000)}`;
    const entry = await entryOfTruncatedStream([first], {
      ...streamed,
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Was ist das? Ü' },
            { type: 'image_url', image_url: { url: image } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'file', file: { file_data: image } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'A cat' },
      ],
    });
    // 9 + 15 + 8 + 5 bytes.
    expect(entry).toMatchObject({ usage_source: 'estimated', input_tokens: 10, output_tokens: 1 });
  });

  it('estimates no fewer tokens than the provider has reported', async () => {
    const running = { ...exampleUsage, completion_tokens: 4, total_tokens: 23 };
    const withUsage = event({ ...deltaChunk({ content: 'abcdefgh' }), usage: running });
    expect(await entryOfTruncatedStream([withUsage])).toMatchObject({
      usage_source: 'estimated',
      input_tokens: 19,
      output_tokens: 4,
      total_tokens: 23,
    });
    expect(
      await entryOfTruncatedStream([withUsage, event(deltaChunk({ content: 'ijklmnopq' }))]),
    ).toMatchObject({
      usage_source: 'estimated',
      input_tokens: 19,
      output_tokens: 5,
      total_tokens: 24,
    });
  });

  it('estimates the charged units that the stream has shown', async () => {
    const searching = { ...deltaChunk({ role: 'assistant', content: 'Hel' }), model: 'gpt-5-search-api' };
    expect(await entryOfTruncatedStream([event(searching)])).toMatchObject({
      usage_source: 'estimated',
      input_tokens: 3,
      output_tokens: 1,
      web_searches: 1,
    });
  });

  it('keeps the tier of the stream', async () => {
    const prioritized = { ...deltaChunk({ role: 'assistant', content: 'Hel' }), service_tier: 'priority' };
    expect(await entryOfTruncatedStream([event(prioritized)])).toMatchObject({
      usage_source: 'estimated',
      service_tier: 'priority',
    });
  });

  it('replaces the output that cannot be read', async () => {
    const usage = { prompt_tokens: 19, completion_tokens: '0' };
    expect(
      await entryOfTruncatedStream([event({ ...deltaChunk({ content: 'Hello' }), usage })]),
    ).toMatchObject({
      usage_source: 'estimated',
      missing_usage: null,
      input_tokens: 19,
      output_tokens: 2,
    });
  });

  it('keeps the reported cost while the reported usage covers the text', () => {
    const usage = { ...noUsage, freshInputTokens: 10, outputTokens: 5 };
    const facts = { ...startReaderFacts(), started: true, usage, reportedCostUsd: '0.25' };
    const costFor = (textBytes: number) =>
      completeUsage({ facts, textBytes: () => textBytes, isReserved: false }, promptOf({ body: {} })).facts
        .reportedCostUsd;
    expect([costFor(20), costFor(21)]).toEqual(['0.25', null]);
  });
});

describe('Reported usage', () => {
  const usage = event(buildChunk({ usage: exampleUsage }));

  it('logs the reported usage when the stream is truncated after it', async () => {
    const entry = await entryOfTruncatedStream([first, event(deltaChunk({ content: 'lo' }, 'stop')), usage]);
    expect(entry).toMatchObject({ usage_source: 'provider', total_tokens: 24 });
  });

  it('logs the usage that is reported with the error that ends the stream', async () => {
    const failed = { ...deltaChunk({ content: 'lo' }, 'error'), usage: exampleUsage };
    const entry = await entryOfTruncatedStream([first, event(failed)]);
    expect(entry).toMatchObject({ outcome: 'provider_error', usage_source: 'provider', total_tokens: 24 });
  });
});

describe('Missing usage', () => {
  const outputOnly = { ...noUsage, outputTokens: 5 };
  const billedParts = [
    { model: null, usage: outputOnly },
    { model: 'advisor', usage: noUsage },
  ] as const;
  const textOf = (content: unknown) => ({ body: { messages: [{ role: 'user', content }] } });
  const usageFor = (facts: Partial<ReaderFacts>, request: { body: JsonObject }) =>
    completeUsage(
      {
        facts: { ...startReaderFacts(), started: true, ended: true, ...facts },
        textBytes: () => 8,
        isReserved: false,
      },
      promptOf(request),
    ).facts;

  it.each([
    ['a text', 'Say hello'],
    ['a part with text', [{ type: 'text', text: 'Say hello' }]],
    ['an attachment', [{ type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }]],
  ])('is that of the input when none is reported for %s', (_, content) => {
    const missing = { ...outputOnly, missing: ['input_tokens'] };
    for (const ending of [{}, { ended: false }, { finishReason: 'content_filter' }]) {
      const facts = usageFor({ usage: outputOnly, billedParts, ...ending }, textOf(content));
      expect(facts).toMatchObject({ usage: missing, billedParts: null });
    }
  });

  it.each([
    ['without a prompt', { body: {} }],
    ['of an empty prompt', textOf('')],
    ['of a part without text', textOf([{ type: 'text', text: '' }])],
  ])('is not that of the input %s', (_, request) => {
    expect(usageFor({ usage: outputOnly, billedParts }, request)).toMatchObject({
      usage: outputOnly,
      billedParts,
    });
  });

  it('is not that of the input of a response that is blocked before any output', () => {
    const facts = usageFor({ usage: noUsage, finishReason: 'content_filter' }, textOf('Say hello'));
    expect(facts.usage).toEqual(noUsage);
  });

  it('is not that of the input when the input was read from a cache or written to it', () => {
    for (const kind of ['cachedInputTokens', 'cacheWriteInputTokens', 'cacheWrite1hInputTokens'] as const) {
      const usage = { ...outputOnly, [kind]: 9 };
      expect(usageFor({ usage }, textOf('Say hello')).usage).toEqual(usage);
    }
  });

  it.each([
    ['before its headers', hangBeforeHeaders],
    ['after a comment', streamResponse([': wait\n\n'], { ending: 'hang' })],
  ])('is that of the input for a stream that hangs %s', async (_, respond) => {
    // Long enough for the request to be sent on a busy machine.
    const limits = { firstByteMs: 500, idleMs: 500, commentDelayMs: 60_000 };
    const { upstream, gateway } = await fixture.setUp({ limits });
    upstream.script(respond);
    await gateway.post(streamed);
    expect((await gateway.entries())[0]).toMatchObject({
      status: 504,
      outcome: 'timeout',
      usage_source: 'estimated',
      input_tokens: 3,
      output_tokens: 0,
    });
  });
});

describe('Stream without a completion', () => {
  it('ends a stream after 32 MB without a completion', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const comment = `: ${'x'.repeat(1024 * 1024)}\n\n`;
    upstream.script(
      streamResponse(
        Array.from({ length: 40 }, () => comment),
        { ending: 'hang' },
      ),
    );
    const response = await gateway.post(streamed);
    expect([response.status, eventData(response.text).map((data) => JSON.parse(data).error)]).toEqual([
      200,
      [
        {
          message: "The provider's response is too large",
          type: 'api_error',
          param: null,
          code: 'provider_error',
        },
      ],
    ]);
    expect(await upstream.requests[0]?.ended).toBe('closed_by_client');
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ status: 200, outcome: 'provider_error', usage_source: 'estimated' }),
    ]);
  });

  it('reports an event that is too large, before and after the stream has started', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const endless = Array.from({ length: 20 }, () => 'x'.repeat(1024 * 1024));
    upstream.script(streamResponse(['data: ', ...endless]), streamResponse([first, 'data: ', ...endless]));
    const responses = [await gateway.post(streamed), await gateway.post(streamed)];
    expect(responses.map(({ status }) => status)).toEqual([502, 200]);
    for (const { text } of responses) expect(text).toContain('The provider sent an event that is too large');
    expect((await gateway.entries()).map(({ usage_source }) => usage_source)).toEqual([
      'estimated',
      'estimated',
    ]);
  });
});
