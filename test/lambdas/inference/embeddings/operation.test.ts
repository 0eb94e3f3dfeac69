/** Embeddings through the handler: what the caller receives, and what is logged. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, type ChatFixtureOptions, startChatFixture } from '#test/support/chat/fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { simulatedNumbers } from '#test/support/providers/simulated-vectors.ts';
import { jsonResponse, type Respond } from '#test/support/providers/upstream-responses.ts';

const model = 'openai/text-embedding-3-small';
const request = { model, input: ['Say hello', 'twice'], dimensions: 4 };

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

const setUp = (options: ChatFixtureOptions = {}) => fixture.setUp({ path: '/ai/embeddings', ...options });

describe('An embeddings request', () => {
  it('has the response of the provider, and an entry with usage and cost', async () => {
    const { gateway, upstream } = await setUp();

    const { status, headers, text } = await gateway.post(request, { 'gateway-user-id': 'ada' });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-gateway-provider': 'openai',
      'x-gateway-provider-request-id': upstream.requests[0]?.requestId,
    });
    expect(text).toBe(
      JSON.stringify({
        object: 'list',
        data: request.input.map((input, index) => ({
          object: 'embedding',
          index,
          embedding: simulatedNumbers(input, 4),
        })),
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 3, total_tokens: 3 },
      }),
    );
    expect(upstream.requests.map(({ method, url }) => [method, url])).toEqual([['POST', '/v1/embeddings']]);
    const entry = {
      id: headers['x-gateway-request-id'],
      operation: 'embeddings',
      provider: 'openai',
      model: 'text-embedding-3-small',
      response_model: 'text-embedding-3-small',
      status: 200,
      outcome: 'completed',
      stream: false,
      input_tokens: 3,
      output_tokens: 0,
      total_tokens: 3,
      usage_source: 'provider',
      usage_warnings: null,
      // 3 tokens × $0.02 per million: the model has a price for its input only.
      cost_usd: '0.00000006',
      pricing: 'table',
      provider_calls: null,
      finish_reason: null,
      time_to_first_token_ms: null,
      user_id: 'ada',
      error_code: null,
    };
    expect(await gateway.entries()).toEqual([expect.objectContaining(entry)]);
  });

  it('is estimated from its tokens or bytes until the provider has responded', async () => {
    for (const [input, tokens] of [
      [[[1, 2, 3], [4]], 4],
      [['Say hello', 'a'], 4],
    ]) {
      const { gateway } = await setUp();

      await gateway.post({ model, input });

      expect(gateway.lines[0]).toMatchObject({
        event: 'request_forwarded',
        entry: { operation: 'embeddings', outcome: 'interrupted', input_tokens: tokens, output_tokens: 0 },
      });
    }
  });

  it('has an estimated cost if the provider reports no usage', async () => {
    const { gateway, upstream } = await setUp();
    const list = { data: [{ embedding: [1] }], model: 'text-embedding-3-small' };
    upstream.script(jsonResponse(list));

    const { text } = await gateway.post({ model, input: 'Say hello' });

    expect(text).toBe(JSON.stringify(list));
    // 9 bytes are 3 tokens.
    expect(await gateway.entries()).toMatchObject([
      { usage_source: 'estimated', input_tokens: 3, cost_usd: '0.00000006', outcome: 'completed' },
    ]);
  });

  it('reserves its maximum cost from a hard budget, and then has its actual cost', async () => {
    const { gateway } = await setUp({ hardLimits: { key: { day: '1' } } });

    await gateway.post(request);

    // 86 bytes × $0.02 per million.
    expect(JSON.stringify(request)).toHaveLength(86);
    expect(await gateway.entries()).toMatchObject([{ reserved_usd: '0.00000172', cost_usd: '0.00000006' }]);
  });

  it('reserves fields that a provider can receive for every text as often', async () => {
    const { gateway } = await setUp({ hardLimits: { key: { day: '1' } } });
    const body = { ...request, title: 'x'.repeat(100) };

    await gateway.post(body);

    const titleBytes = `"title":"${body.title}"`.length;
    // 86 bytes, a comma and the field, and the field again for each of two texts: 417 bytes × $0.02 per million.
    expect(86 + 1 + titleBytes + 2 * titleBytes).toBe(417);
    expect(await gateway.entries()).toMatchObject([{ reserved_usd: '0.00000834' }]);
  });

  it.each([
    [{ ...request, input: [] }, 'input'],
    [{ ...request, encoding_format: 'int8' }, 'encoding_format'],
    [{ ...request, dimensions: -1 }, 'dimensions'],
    [{ ...request, model: 'nosuch/model' }, 'model'],
    [{ ...request, model: 'deepseek/deepseek-chat' }, 'model'],
  ])('is refused with status 400 that names the field: %j', async (body, param) => {
    const { gateway, upstream } = await setUp({ providers: ['openai', 'deepseek'] });

    const { status, text } = await gateway.post(body);

    expect([status, JSON.parse(text).error.param]).toEqual([400, param]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toMatchObject([
      { operation: 'embeddings', outcome: 'rejected', cost_usd: '0' },
    ]);
  });
});

describe('A failed embeddings request', () => {
  const truncated: Respond = ({ response, disconnect }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"data":[', () => disconnect('close'));
  };

  it.each<[string, Respond, { status: number; code: string; param: string | null }, object]>([
    [
      'the error of the provider',
      errorResponse(400, { error: { param: 'input', code: null, message: "'$.input' is invalid." } }),
      { status: 400, code: 'invalid_request_error', param: 'input' },
      { usage_source: 'missing', cost_usd: '0' },
    ],
    [
      'a rejected credential',
      errorResponse(401),
      { status: 502, code: 'provider_authentication_failed', param: null },
      { usage_source: 'missing', cost_usd: '0' },
    ],
    [
      'a limit of the provider',
      errorResponse(429),
      { status: 429, code: 'rate_limit_exceeded', param: null },
      { usage_source: 'missing', cost_usd: '0' },
    ],
    [
      'an error of the server',
      errorResponse(500),
      { status: 502, code: 'server_error', param: null },
      { usage_source: 'missing', cost_usd: '0' },
    ],
    [
      'an error in a successful response',
      jsonResponse({ error: { message: 'Overloaded', type: 'server_error', code: 503 } }),
      { status: 503, code: 'server_error', param: null },
      { usage_source: 'missing', cost_usd: '0' },
    ],
    [
      'a response that breaks off',
      truncated,
      { status: 502, code: 'provider_error', param: null },
      { usage_source: 'estimated', input_tokens: 5, cost_usd: '0.0000001' },
    ],
    [
      'a response that is no JSON',
      jsonResponse('Bad gateway'),
      { status: 502, code: 'provider_error', param: null },
      { usage_source: 'estimated', input_tokens: 5, cost_usd: '0.0000001' },
    ],
    [
      'too few vectors, which are charged',
      jsonResponse({ data: [{ embedding: [1] }], usage: { prompt_tokens: 3, total_tokens: 3 } }),
      { status: 502, code: 'provider_error', param: null },
      { usage_source: 'estimated', input_tokens: 3, cost_usd: '0.00000006' },
    ],
  ])('reports %s', async (_, respond, { status, ...error }, billed) => {
    const { gateway, upstream } = await setUp();
    upstream.script(respond);

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text).error]).toMatchObject([status, error]);
    expect(await gateway.entries()).toMatchObject([
      { operation: 'embeddings', status, outcome: 'provider_error', error_code: error.code, ...billed },
    ]);
  });
});
