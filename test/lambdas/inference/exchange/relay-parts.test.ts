/** Requests that take several calls, with a provider whose responses a test releases in an order of its choice. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import type { ChatHandlerFixtureOptions } from '#test/support/chat/handler-fixture.ts';
import { fc } from '#test/support/fast-check.ts';
import { countTokens, simulatedNumbers } from '#test/support/providers/simulated-vectors.ts';
import { startUpstream, type Upstream } from '#test/support/providers/upstream.ts';
import {
  jsonResponse,
  type RecordedRequest,
  type Respond,
} from '#test/support/providers/upstream-responses.ts';

/** Titan takes one text in each call. */
const model = 'bedrock/amazon.titan-embed-text-v1';
const size = 4;

interface TitanBehaviour {
  /** Requests with any other key are rejected. Every key is accepted when unset. */
  expectedApiKey?: string;
  /** The responses to texts other than their vectors. */
  responses?: Record<string, Respond[]>;
  /** Called before each response, which waits for it. */
  hold?(text: string): Promise<void>;
}

function textOf({ body }: RecordedRequest): string {
  return stringOrEmpty(parseJsonObject(body.toString())?.inputText);
}

function respond(request: RecordedRequest, behaviour: TitanBehaviour): Respond {
  const { responses = {}, expectedApiKey, hold } = behaviour;
  if (expectedApiKey !== undefined && request.headers.authorization !== `Bearer ${expectedApiKey}`)
    return rejected;
  const text = textOf(request);
  const vectorResponse = jsonResponse(
    { embedding: simulatedNumbers(text, size), inputTextTokenCount: countTokens(text) },
    { headers: { 'x-amzn-requestid': `request for ${text}` } },
  );
  return async (exchange) => {
    await hold?.(text);
    await (responses[text]?.shift() ?? vectorResponse)(exchange);
  };
}

/** Holds responses until they are released, and counts how many are held. */
function createHold() {
  const held: { text: string; release(): void }[] = [];
  const waiting: (() => void)[] = [];
  let arrived = 0;
  let maxHeld = 0;
  return {
    hold: (text: string) =>
      new Promise<void>((release) => {
        held.push({ text, release });
        arrived += 1;
        maxHeld = Math.max(maxHeld, held.length);
        for (const wake of waiting.splice(0)) wake();
      }),
    /** Resolves when so many requests have arrived since the start. */
    async waitFor(count: number) {
      while (arrived < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    release(index: number) {
      for (const { release } of held.splice(index % held.length, 1)) release();
    },
    releaseAll() {
      for (const { release } of held.splice(0)) release();
    },
    maxHeld: () => maxHeld,
  };
}

let fixture: ChatFixture;
let upstream: Upstream<TitanBehaviour>;
beforeAll(async () => {
  fixture = await startChatFixture();
  upstream = await startUpstream<TitanBehaviour>({ path: '', respond }, {});
});
afterAll(async () => {
  await upstream.stop();
  await fixture.stop();
});

async function setUp(behaviour: TitanBehaviour = {}, options: Partial<ChatHandlerFixtureOptions> = {}) {
  upstream.behaviour = behaviour;
  upstream.requests.length = 0;
  const { gateway } = await fixture.setUp({
    path: '/ai/embeddings',
    settings: { bedrock: { baseUrl: upstream.baseUrl, region: 'us-east-1' } },
    credentials: { bedrock: { api_key: 'sk-upstream' } },
    ...options,
  });
  return { gateway };
}

const textsOf = (count: number) => Array.from({ length: count }, (_, index) => `${'word '.repeat(index)}end`);

function listOf(texts: readonly string[]) {
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return {
    object: 'list',
    data: texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: simulatedNumbers(text, size),
    })),
    model: 'amazon.titan-embed-text-v1',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const throttled = (headers: Record<string, string> = {}) =>
  jsonResponse(
    { message: 'Too many requests, please wait before trying again.' },
    { status: 429, headers: { 'x-amzn-errortype': 'ThrottlingException', ...headers } },
  );
const rejected = jsonResponse(
  { message: 'The API key is not valid.' },
  { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' } },
);
const failed = jsonResponse(
  { message: 'The system encountered an unexpected error.' },
  { status: 500, headers: { 'x-amzn-errortype': 'InternalServerException', 'x-amzn-requestid': 'failed' } },
);

describe('A request that takes several calls', () => {
  it('has its vectors in order, in whichever order the responses arrive, with at most four calls at a time', async () => {
    const { gateway } = await setUp();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 14 }),
        fc.array(fc.nat(3), { minLength: 14, maxLength: 14 }),
        async (count, order) => {
          const calls = createHold();
          upstream.behaviour = { hold: calls.hold };
          const input = textsOf(count);

          const posting = gateway.post({ model, input });
          for (let released = 0; released < count; released += 1) {
            await calls.waitFor(Math.min(count, released + 4));
            calls.release(order[released] ?? 0);
          }
          const { status, text } = await posting;

          expect([status, JSON.parse(text)]).toEqual([200, listOf(input)]);
          expect(calls.maxHeld()).toBe(Math.min(count, 4));
        },
      ),
      { numRuns: 15 },
    );
  });

  it('has one log entry with the sum of the usage and its cost', async () => {
    const { gateway } = await setUp();
    const input = ['one', 'two words', 'three more words'];

    const { status, headers, text } = await gateway.post({
      model,
      input,
      encoding_format: 'base64',
      user: 'ada',
    });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-gateway-provider': 'bedrock',
      'x-gateway-ignored-parameters': 'user',
      'x-gateway-provider-request-id': 'request for one',
    });
    const [first] = JSON.parse(text).data;
    expect(
      Array.from(new Float32Array(Uint8Array.from(Buffer.from(first.embedding, 'base64')).buffer)),
    ).toEqual(simulatedNumbers('one', size));
    const entry = {
      id: headers['x-gateway-request-id'],
      operation: 'embeddings',
      provider: 'bedrock',
      model: 'amazon.titan-embed-text-v1',
      response_model: null,
      status: 200,
      outcome: 'completed',
      stream: false,
      input_tokens: 6,
      output_tokens: 0,
      total_tokens: 6,
      usage_source: 'provider',
      // 6 tokens × $0.10 per million.
      cost_usd: '0.0000006',
      pricing: 'table',
      retries: null,
      provider_calls: 3,
      finish_reason: null,
      time_to_first_token_ms: null,
      provider_request_id: 'request for one',
      error_code: null,
    };
    expect(await gateway.entries()).toEqual([expect.objectContaining(entry)]);
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded', 'request_completed']);
    expect(gateway.lines[1]?.entry).toMatchObject({ provider_calls: 3, cost_usd: '0.0000006' });
  });

  it('is a single call for one text', async () => {
    const { gateway } = await setUp();

    const { text } = await gateway.post({ model, input: 'one' });

    expect(JSON.parse(text)).toEqual(listOf(['one']));
    expect(await gateway.entries()).toMatchObject([{ provider_calls: null, input_tokens: 1 }]);
  });

  it('repeats a single call that the provider asks to repeat', async () => {
    const { gateway } = await setUp({ responses: { 'two words': [throttled({ 'retry-after': '0' })] } });
    const input = ['one', 'two words', 'three more words'];

    const { status, text } = await gateway.post({ model, input });

    expect([status, JSON.parse(text)]).toEqual([200, listOf(input)]);
    expect(upstream.requests.map(textOf).toSorted()).toEqual([...input, 'two words'].toSorted());
    expect(await gateway.entries()).toMatchObject([{ retries: 1, provider_calls: 3, input_tokens: 6 }]);
  });

  it('sums the retries of all calls', async () => {
    const limited = () => [throttled({ 'retry-after': '0' })];
    const { gateway } = await setUp({ responses: { one: limited(), 'two words': limited() } });

    await gateway.post({ model, input: ['one', 'two words'] });

    expect(await gateway.entries()).toMatchObject([{ retries: 2, provider_calls: 2, outcome: 'completed' }]);
  });

  it('renews a rejected credential once for all calls', async () => {
    const keys = ['sk-old', 'sk-upstream'];
    const reads: string[] = [];
    const { gateway } = await setUp(
      { expectedApiKey: 'sk-upstream' },
      {
        credentials: () => {
          const api_key = keys.shift() ?? 'sk-upstream';
          reads.push(api_key);
          return { bedrock: { api_key } };
        },
      },
    );
    const input = textsOf(4);

    const { status, text } = await gateway.post({ model, input });

    expect([status, JSON.parse(text), reads]).toEqual([200, listOf(input), ['sk-old', 'sk-upstream']]);
  });

  it('has an estimated usage, and none in its response, if one call reports none', async () => {
    const { gateway } = await setUp({
      responses: { 'two words': [jsonResponse({ embedding: simulatedNumbers('two words', size) })] },
    });

    const { text } = await gateway.post({ model, input: ['one', 'two words'] });

    const { usage: _, ...list } = listOf(['one', 'two words']);
    expect(JSON.parse(text)).toEqual(list);
    // One reported token, and an estimated three for nine bytes.
    expect(await gateway.entries()).toMatchObject([
      { input_tokens: 4, usage_source: 'estimated', cost_usd: '0.0000004' },
    ]);
  });

  it('is refused before any call for more texts than the gateway makes calls', async () => {
    const { gateway } = await setUp();

    const { status, text } = await gateway.post({ model, input: textsOf(65) });

    expect([status, JSON.parse(text).error]).toMatchObject([400, { param: 'input' }]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toMatchObject([{ outcome: 'rejected', provider_calls: null }]);
  });
});

describe('A request of which one call fails', () => {
  it('fails with its error, and costs what the others have cost', async () => {
    const { gateway } = await setUp({ responses: { 'two words': [failed] } });

    const { status, text, headers } = await gateway.post({
      model,
      input: ['one', 'two words', 'three more words'],
    });

    expect([status, JSON.parse(text).error.message]).toEqual([
      502,
      'The system encountered an unexpected error.',
    ]);
    expect(headers['x-gateway-provider-request-id']).toBe('failed');
    expect(await gateway.entries()).toMatchObject([
      {
        status: 502,
        outcome: 'provider_error',
        input_tokens: 4,
        usage_source: 'provider',
        cost_usd: '0.0000004',
        provider_calls: 3,
        provider_request_id: 'failed',
        error_code: 'InternalServerException',
      },
    ]);
  });

  it.each([
    ['has a vector missing', jsonResponse({ inputTextTokenCount: 2 }), 'contains no embeddings'],
    [
      'breaks off',
      ({ response, disconnect }: Parameters<Respond>[0]) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"embedding":[', () => disconnect('close'));
      },
      'was truncated',
    ],
  ])('costs the estimated input of a response that %s', async (_, response, message) => {
    const { gateway } = await setUp({ responses: { 'two words': [response] } });

    const { status, text } = await gateway.post({ model, input: ['one', 'two words'] });

    expect([status, JSON.parse(text).error.code]).toEqual([502, 'provider_error']);
    expect(JSON.parse(text).error.message).toContain(message);
    expect(await gateway.entries()).toMatchObject([
      { outcome: 'provider_error', usage_source: 'estimated', input_tokens: 4, provider_calls: 2 },
    ]);
  });

  it('costs nothing if all fail', async () => {
    const { gateway } = await setUp({ responses: { one: [throttled()], 'two words': [throttled()] } });

    const { status } = await gateway.post({ model, input: ['one', 'two words'] });

    expect(status).toBe(429);
    expect(await gateway.entries()).toMatchObject([
      { outcome: 'provider_error', usage_source: 'missing', cost_usd: '0', provider_calls: 2 },
    ]);
  });

  it('makes no further calls, and reads the others to their ends', async () => {
    const calls = createHold();
    const responses = { end: [failed] };
    const { gateway } = await setUp({
      responses,
      hold: (text) => (text === 'end' ? Promise.resolve() : calls.hold(text)),
    });

    const posting = gateway.post({ model, input: textsOf(40) });
    await calls.waitFor(3);
    await upstream.requests.find((request) => textOf(request) === 'end')?.ended;
    calls.releaseAll();
    upstream.behaviour = { responses };
    const { status } = await posting;

    expect(status).toBe(502);
    // The calls that were in flight when the first one failed, and those that began before the failure was read.
    expect(upstream.requests.length).toBeLessThan(12);
    const [entry] = await gateway.entries();
    const billed = upstream.requests.filter((request) => textOf(request) !== 'end').map(textOf);
    expect(entry).toMatchObject({
      provider_calls: upstream.requests.length,
      input_tokens: billed.reduce((sum, text) => sum + countTokens(text), 0),
    });
  });
});

describe('A caller who disconnects', () => {
  it('pays for the calls that are in flight, and no others are made', async () => {
    const calls = createHold();
    const { gateway } = await setUp({ hold: calls.hold });
    const body = new PassThrough();

    const calling = gateway.call(gateway.event({ model, input: textsOf(12) }), body);
    await calls.waitFor(4);
    body.destroy();
    await once(body, 'close');
    calls.releaseAll();
    await (await calling).invocation;

    expect(upstream.requests.map(textOf).toSorted()).toEqual(textsOf(4).toSorted());
    expect(await gateway.entries()).toMatchObject([
      {
        status: 499,
        outcome: 'client_closed',
        provider_calls: 4,
        // 1 + 2 + 3 + 4
        input_tokens: 10,
        usage_source: 'provider',
        error_code: null,
      },
    ]);
  });

  it('pays for the first call if they leave before it', async () => {
    const body = new PassThrough();
    const { gateway } = await setUp(
      {},
      {
        async credentials() {
          await once(body.destroy(), 'close');
          return { bedrock: { api_key: 'sk-upstream' } };
        },
      },
    );

    await (await gateway.call(gateway.event({ model, input: textsOf(3) }), body)).invocation;

    expect(upstream.requests.map(textOf)).toEqual(['end']);
    expect(await gateway.entries()).toMatchObject([
      { status: 499, outcome: 'client_closed', provider_calls: null, input_tokens: 1, error_code: null },
    ]);
  });
});

describe('A hard budget', () => {
  const hardLimits = { key: { day: '1' } };

  it('reserves an upper bound for all calls, and the entry has the actual cost', async () => {
    const { gateway } = await setUp({}, { hardLimits });
    const request = { model, input: ['one', 'two words', 'three more words'] };

    await gateway.post(request);

    // 93 bytes × $0.10 per million.
    expect(JSON.stringify(request)).toHaveLength(93);
    expect(await gateway.entries()).toMatchObject([
      { reserved_usd: '0.0000093', cost_usd: '0.0000006', pricing: 'table' },
    ]);
  });

  it('keeps its reservation if the usage of a call is estimated', async () => {
    const { gateway } = await setUp(
      { responses: { 'two words': [jsonResponse({ embedding: simulatedNumbers('two words', size) })] } },
      { hardLimits },
    );

    await gateway.post({ model, input: ['one', 'two words'] });

    const [entry] = await gateway.entries();
    expect(entry).toMatchObject({
      usage_source: 'estimated',
      pricing: 'assumed',
      cost_usd: entry?.reserved_usd,
    });
  });

  it('refuses a request that could cost more than what is left', async () => {
    const { gateway } = await setUp({}, { hardLimits: { key: { day: '0.000001' } } });

    const { status, text } = await gateway.post({ model, input: ['one', 'two words'] });

    expect([status, JSON.parse(text).error.code]).toEqual([429, 'insufficient_quota']);
    expect(upstream.requests).toEqual([]);
  });
});
