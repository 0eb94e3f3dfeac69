/** `POST /ai/messages/count_tokens`, as the chat function serves it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  gateway = await gateways.start({ path: '/ai/v1/messages/count_tokens' });
});
afterAll(() => gateways.stop());

const request = { model: 'anthropic/claude-opus-4-8', messages: [{ role: 'user', content: 'Hello' }] };

describe('POST /ai/messages/count_tokens', () => {
  it("returns the provider's count, and writes no log entry", async () => {
    const { handler, upstream } = gateway;
    upstream.script(jsonResponse('{ "input_tokens": 14 }', { headers: { 'request-id': 'req_1' } }));

    const { status, text, headers } = await handler.post(request);

    expect([status, text]).toEqual([200, '{ "input_tokens": 14 }']);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'request-id': 'req_1' });
    expect(upstream.requests.map(({ url, headers: sent }) => [url, sent['x-api-key']])).toEqual([
      ['/v1/messages/count_tokens', providerKey],
    ]);
    expect(await handler.entries()).toEqual([]);
    expect(handler.lines).toEqual([]);
  });

  it.each([
    [401, 'authentication_error', request, { authorization: 'Bearer nothing' }],
    [404, 'not_found_error', { ...request, model: 'groq/openai/gpt-oss-20b' }, {}],
    [400, 'invalid_request_error', { ...request, messages: 'Hello' }, {}],
  ])("reports its errors in Anthropic's format: %i", async (expectedStatus, type, body, headers) => {
    const { status, text } = await gateway.handler.post(body, headers);

    expect([status, JSON.parse(text)]).toEqual([
      expectedStatus,
      { type: 'error', error: { type, message: expect.any(String) }, request_id: null },
    ]);
    expect(await gateway.handler.entries()).toEqual([]);
  });
});
