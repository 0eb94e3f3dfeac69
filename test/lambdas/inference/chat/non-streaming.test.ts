import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { buildChunk } from '#test/support/providers/openai/events.ts';
import { jsonResponse, resetBeforeHeaders } from '#test/support/providers/upstream-responses.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('Non-streaming completions', () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  it("returns the provider's response byte for byte and logs tokens and cost", async () => {
    const { upstream, gateway } = await fixture.setUp();
    const completion =
      '{"id":"c1", "object":"chat.completion","created":1767225600,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"x":1.0},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":200}}}';
    upstream.script(jsonResponse(completion));
    const response = await gateway.post(
      { model: 'openai/gpt-4o', messages, temperature: 0.5 },
      { 'gateway-prompt-id': 'welcome', 'gateway-session-id': 's1', 'gateway-user-id': 'u1' },
    );
    const [entry] = await gateway.entries();
    expect(response.status).toBe(200);
    expect(response.text).toBe(completion);
    expect(response.headers).toEqual({
      'content-type': 'application/json',
      'x-gateway-provider': 'openai',
      'x-gateway-provider-request-id': 'req_00000000000000000000000000000001',
      'x-gateway-request-id': entry?.id,
      'x-request-id': entry?.id,
    });
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: gateway.organizationId,
      created_at: expect.stringMatching(/^20\d\d-.*Z$/),
      model: 'gpt-4o',
      response_model: 'gpt-4o-2024-08-06',
      provider: 'openai',
      operation: 'chat.completions',
      status: 200,
      outcome: 'completed',
      stream: false,
      input_tokens: 1000,
      output_tokens: 500,
      total_tokens: 1500,
      cached_input_tokens: 200,
      cache_write_input_tokens: 0,
      cache_write_1h_input_tokens: null,
      audio_input_tokens: null,
      cached_audio_input_tokens: null,
      image_input_tokens: null,
      cached_image_input_tokens: null,
      audio_output_tokens: null,
      image_output_tokens: null,
      web_searches: null,
      page_visits: null,
      file_searches: null,
      audio_input_seconds: null,
      context_tokens: null,
      reasoning_tokens: 0,
      service_tier: null,
      speed: null,
      inference_geo: null,
      region: null,
      cost_usd: '0.00725',
      pricing: 'table',
      pricing_version: priceTable.version,
      pricing_gaps: null,
      billed_parts: null,
      usage_source: 'provider',
      usage_warnings: null,
      missing_usage: null,
      retries: null,
      provider_calls: null,
      route: null,
      attempt: null,
      superseded_by: null,
      skipped_targets: null,
      finish_reason: 'stop',
      latency_ms: expect.any(Number),
      time_to_first_token_ms: null,
      overhead_ms: expect.any(Number),
      prompt_id: 'welcome',
      session_id: 's1',
      user_id: 'u1',
      api_key_id: gateway.apiKeyId,
      provider_request_id: 'req_00000000000000000000000000000001',
      response_id: 'c1',
      error_code: null,
      error_type: null,
      error_param: null,
      error_message: null,
      refusal: null,
      refused_requests: null,
      budget_key_id: null,
      reserved_usd: null,
      pending_usd: null,
      budget_counters: null,
    });
  });

  it("changes only the model name in the caller's body, and forwards only headers on the allow-list", async () => {
    const { upstream, gateway } = await fixture.setUp();
    const body =
      '{"messages":[{"role":"user","content":"\\u00e9"}],"model": "openai/gpt-4o","seed":9007199254740993,"temperature":1.0}';
    await gateway.post(body, {
      'gateway-user-id': 'u1',
      cookie: 'c',
      'user-agent': 'OpenAI/Python 2',
      'x-stainless-os': 'Linux',
    });
    const [request] = upstream.requests;
    expect(request?.url).toBe('/v1/chat/completions');
    expect(request?.body.toString()).toBe(body.replace('openai/gpt-4o', 'gpt-4o'));
    const { host, connection, ...sent } = request?.headers ?? {};
    expect(sent).toEqual({
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-upstream',
      'content-length': String(body.length - 'openai/'.length),
      'content-type': 'application/json',
      'user-agent': 'OpenAI/Python 2',
    });
  });

  it('logs tokens without a price when the price table cannot be loaded', async () => {
    const loadPricing = () => Promise.reject(new Error('The table cannot be read'));
    const { gateway } = await fixture.setUp({ dependencies: { loadPricing } });
    const errors = recordLogLines();
    const { status } = await gateway.post({ model: 'openai/gpt-4o', messages });
    expect(status).toBe(200);
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ outcome: 'completed', input_tokens: 19, cost_usd: '0', pricing: 'unknown' }),
    ]);
    expect(errors).toMatchObject([{ event: 'unexpected_error', error: 'Error' }]);
  });

  it('estimates the usage that the provider does not report', async () => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(
      jsonResponse({
        model: 'gpt-4o',
        choices: [{ index: 0, message: { content: 'Hello there' }, finish_reason: 'stop' }],
      }),
    );
    await gateway.post({ model: 'openai/gpt-4o', messages });
    expect((await gateway.entries())[0]).toMatchObject({
      outcome: 'completed',
      usage_source: 'estimated',
      // 9 and 11 bytes of text.
      input_tokens: 3,
      output_tokens: 3,
      // 3 × $2.5 + 3 × $10 per million.
      cost_usd: '0.0000375',
      pricing: 'table',
    });
  });

  it("truncates a provider's long texts in the log entry", async () => {
    const { upstream, gateway } = await fixture.setUp();
    const long = 'x'.repeat(500_000);
    upstream.script(
      jsonResponse(
        { model: long, choices: [{ finish_reason: long }] },
        { headers: { 'x-request-id': 'y'.repeat(5000) } },
      ),
    );
    await gateway.post({ model: 'openai/gpt-4o', messages });
    expect((await gateway.entries())[0]).toMatchObject({
      response_model: 'x'.repeat(128),
      finish_reason: 'x'.repeat(128),
      provider_request_id: 'y'.repeat(128),
    });
  });

  it('decompresses a response even though compression was not requested', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: 'assistant', content: 'Hi', refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
    const completion = JSON.stringify({ ...buildChunk({ usage }), object: 'chat.completion', choices });
    upstream.script(jsonResponse(gzipSync(completion), { headers: { 'content-encoding': 'gzip' } }));
    const response = await gateway.post({ model: 'openai/gpt-4o', messages });
    expect(response.text).toBe(completion);
    expect((await gateway.entries())[0]).toMatchObject({ total_tokens: 2 });
  });

  it.each([
    ['not JSON', '<html>busy</html>', /contains no completion/],
    ['an error', '{"error":{"message":"Upstream is out","code":524}}', /^Upstream is out$/],
  ])('returns 502 for a 2xx response that is %s', async (_, body, message) => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(jsonResponse(body));
    const response = await gateway.post({ model: 'openai/gpt-4o', messages });
    expect(response.status).toBe(502);
    expect(JSON.parse(response.text).error.message).toMatch(message);
    expect((await gateway.entries())[0]).toMatchObject({ status: 502, outcome: 'provider_error' });
  });

  it('returns 502 for a response that is nested too deeply to be normalized, and logs its usage', async () => {
    const { upstream, gateway } = await fixture.setUp();
    const usage = '{"prompt_tokens":9,"completion_tokens":3}';
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    upstream.script(
      jsonResponse(`{"choices":[{"index":0,"finish_reason":"stop","x":${deep}}],"usage":${usage}}`),
    );
    const response = await gateway.post({ model: 'openai/gpt-4o', messages });
    expect([response.status, JSON.parse(response.text).error.message]).toEqual([
      502,
      'The provider sent JSON that is nested too deeply',
    ]);
    expect((await gateway.entries())[0]).toMatchObject({ status: 502, total_tokens: 12 });
  });

  it('reuses the connection to the provider, and retries on a new one after a reset', async () => {
    const { upstream, gateway } = await fixture.setUp();
    upstream.script(jsonResponse({ choices: [{ finish_reason: 'stop' }] }), resetBeforeHeaders);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) {
      statuses.push((await gateway.post({ model: 'openai/gpt-4o', messages })).status);
    }
    expect(statuses).toEqual([200, 200, 200]);
    expect(upstream.requests).toHaveLength(4);
    // Counts as a retry, since the provider may have received the request on the reused connection.
    expect((await gateway.entries()).map(({ retries }) => retries)).toEqual([null, 1, null]);
  });

  it('returns 502 for a response that is larger than the limit', async () => {
    const { upstream, gateway } = await fixture.setUp({ limits: { maxResponseBytes: 1000 } });
    upstream.script(jsonResponse({ choices: [], padding: 'x'.repeat(1000) }));
    const response = await gateway.post({ model: 'openai/gpt-4o', messages });
    expect([response.status, JSON.parse(response.text).error.message]).toEqual([
      502,
      "The provider's response is too large",
    ]);
  });

  it('accepts a base64-encoded body and rejects one that is not UTF-8', async () => {
    const { gateway } = await fixture.setUp();
    const send = async (bytes: Buffer) => {
      const call = await gateway.call({
        ...gateway.event(''),
        body: bytes.toString('base64'),
        isBase64Encoded: true,
      });
      const body = await text(call.body);
      await call.invocation;
      return [call.status, JSON.parse(body).error?.param];
    };
    const body = JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'é' }] });
    expect(await send(Buffer.from(body))).toEqual([200, undefined]);
    expect(await send(Buffer.from(body, 'latin1'))).toEqual([400, 'body']);
  });
});
