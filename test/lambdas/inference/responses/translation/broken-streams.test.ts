/** Errors after a translated response has begun: an `error` event, and the failed response with its items so far. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import { type Protocol, responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import {
  controlledStream,
  eventStream,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const withoutApi = { vllm: { operations: { responses: false } } } as const;

interface Broken {
  fake: string;
  model: string;
  /** An error event in the provider's format. */
  error: Record<string, unknown>;
  code: string;
}

const overloaded = 'The model is overloaded';
const broken: Readonly<Record<Protocol, Broken>> = {
  openai: {
    fake: 'vllm',
    model: 'vllm/qwen3',
    error: { error: { message: overloaded, code: 503 } },
    code: 'provider_unavailable',
  },
  anthropic: {
    fake: 'anthropic',
    model: 'anthropic/claude-sonnet-4-5',
    error: { type: 'error', error: { type: 'overloaded_error', message: overloaded } },
    code: 'overloaded_error',
  },
  google: {
    fake: 'google',
    model: 'google/gemini-2.5-flash',
    error: { error: { code: 503, status: 'UNAVAILABLE', message: overloaded } },
    code: 'UNAVAILABLE',
  },
  bedrock: {
    fake: 'bedrock',
    model: 'bedrock/amazon.nova-lite-v1:0',
    error: { serviceUnavailableException: { message: overloaded } },
    code: 'ServiceUnavailableException',
  },
};

/** The start of a text, without the end of the stream. */
function startOf(protocol: Protocol): Buffer[] {
  const { events, encode } = responseFormats[protocol];
  const all = events({ text: 'Hello there', calls: [] });
  return all.slice(0, all.findIndex((event) => JSON.stringify(event).includes('Hello')) + 1).map(encode);
}

const headersOf = (protocol: Protocol) =>
  protocol === 'bedrock' ? { 'content-type': bedrockStreamType } : eventStream;

/** The types of all events; those of the text are between the first two and the last two. */
const eventTypes = [
  'response.created',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'response.output_text.delta',
  'error',
  'response.failed',
];

describe.each(Object.entries(broken) as [Protocol, Broken][])('A stream of %s', (protocol, tested) => {
  const { fake, model, error, code } = tested;
  let gateway: TranslatedGateway;
  beforeAll(async () => {
    gateway = await gateways.start(fake, { settings: withoutApi });
  });
  const { encode } = responseFormats[protocol];
  const headers = headersOf(protocol);

  it('that ends with an error has failed', async () => {
    const respond = streamResponse([...startOf(protocol), encode(error)], { headers });

    const { status, events, body, entry } = await gateway.ask({ model, stream: true }, respond);

    const stated = { code, message: overloaded, param: null };
    expect(status).toBe(200);
    expect(events.map(({ type }) => type)).toEqual(eventTypes);
    expect(events.at(-2)).toEqual({
      type: 'error',
      sequence_number: 5,
      ...stated,
      error: { type: 'api_error', ...stated },
    });
    expect(events.at(-1)).toMatchObject({
      sequence_number: 6,
      response: {
        id: `resp_gateway_${entry.id}`,
        status: 'failed',
        error: { code: 'server_error', message: overloaded },
        completed_at: null,
      },
    });
    expect(responseProblems(body)).toEqual([]);
    expect(entry).toMatchObject({
      operation: 'responses',
      outcome: 'provider_error',
      status: 200,
      error_code: code,
      // Claude has stated 5 tokens at the start; for others, those of the text are estimated.
      output_tokens: protocol === 'anthropic' ? 5 : 2,
    });
  });

  it('that ends without its end has failed', async () => {
    const respond = streamResponse(startOf(protocol), { headers, ending: 'close' });

    const { events, entry } = await gateway.ask({ model, stream: true }, respond);

    expect(events.map(({ type }) => type)).toEqual(eventTypes);
    expect(events.at(-1)).toMatchObject({
      response: {
        status: 'failed',
        error: { code: 'server_error', message: expect.stringMatching(/truncated/) },
      },
    });
    expect(entry).toMatchObject({ outcome: 'provider_error', error_code: 'provider_error' });
  });

  it('that begins with an error is an error of HTTP', async () => {
    const respond = streamResponse([encode(error)], { headers });

    for (const stream of [false, true]) {
      const { status, body } = await gateway.ask({ model, stream }, respond);

      const stated = { type: 'api_error', code, message: overloaded, param: null };
      expect([status, body]).toEqual([503, { error: stated }]);
    }
  });
});

describe('A stream that waits', () => {
  it('has comments in its silences, also before it has begun, but none in the first second', async () => {
    const { handler, upstream } = await gateways.start('google', { limits: { heartbeatMs: 5 } });
    const [hello, ...rest] = responseFormats.google
      .events({ text: 'Hello there', calls: [] })
      .map(responseFormats.google.encode);
    const stream = controlledStream();
    upstream.script(stream.respond);

    const sentAtMs = performance.now();
    const call = await handler.call(
      handler.event({ model: 'google/gemini-2.5-flash', input: 'Hi', stream: true }),
    );
    // A timer may be early by a fraction of a millisecond.
    expect(performance.now() - sentAtMs).toBeGreaterThan(999);
    await stream.write(hello ?? '');
    let text = '';
    for await (const chunk of call.body) {
      text += chunk;
      if (!text.includes('"Hello ')) continue;
      for (const event of rest.splice(0)) await stream.write(event);
      if (!text.includes('completed')) await stream.end();
    }
    await call.invocation;

    expect(text).toMatch(/^: ping\n\n/);
    expect(streamProblems(text)).toEqual([]);
  });

  it('ends with an error and a failed response if the provider then refuses it', async () => {
    const { handler, upstream } = await gateways.start('google', { limits: { heartbeatMs: 5 } });
    const late = controlledStream({ status: 429, headers: { 'content-type': 'application/json' } });
    upstream.script(late.respond);

    const call = await handler.call(
      handler.event({ model: 'google/gemini-2.5-flash', input: 'Hi', stream: true, metadata: { a: 'b' } }),
    );
    await late.write(
      JSON.stringify({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down' } }),
    );
    await late.end();
    const text = (await Array.fromAsync(call.body)).join('').replaceAll(': ping\n\n', '');
    await call.invocation;

    const [error, failed, ...others] = text.split('\n\n');
    expect([call.status, others]).toEqual([200, ['']]);
    const stated = { code: 'RESOURCE_EXHAUSTED', message: 'Slow down', param: null };
    expect(error).toBe(
      `event: error\ndata: ${JSON.stringify({
        type: 'error',
        sequence_number: 0,
        ...stated,
        error: { type: 'rate_limit_error', ...stated },
      })}`,
    );
    const [entry] = await handler.entries();
    expect(JSON.parse(failed?.replace('event: response.failed\ndata: ', '') ?? '')).toMatchObject({
      type: 'response.failed',
      sequence_number: 1,
      response: {
        id: `resp_gateway_${entry?.id}`,
        model: 'gemini-2.5-flash',
        status: 'failed',
        error: { code: 'rate_limit_exceeded', message: 'Slow down' },
        metadata: { a: 'b' },
        output: [],
      },
    });
    expect(entry).toMatchObject({ outcome: 'provider_error', status: 200, cost_usd: '0' });
  });
});

it('A whole response whose provider fails within it is an error of HTTP', async () => {
  const { ask } = await gateways.start('vllm', { settings: withoutApi });

  const { status, body } = await ask(
    { model: 'vllm/qwen3' },
    jsonResponse({ error: { message: overloaded, code: 503 } }),
  );

  expect([status, body]).toMatchObject([503, { error: { message: overloaded } }]);
});
