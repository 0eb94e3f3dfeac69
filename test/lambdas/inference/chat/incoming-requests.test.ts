import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

const messages = [{ role: 'user', content: 'Say hello' }];
const request = { model: 'openai/gpt-4o', messages };
const large = 'a'.repeat(6 * 1024 * 1024);
const deep = '['.repeat(101) + ']'.repeat(101);

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

describe('Invalid request', () => {
  const body = JSON.stringify(request);
  const withHeader = (name: string, value: string) => ({ body, headers: { [name]: value } });

  it.each<[string, { body: string; headers?: Record<string, string> }, number, string, string]>([
    [
      'a body that is too large',
      { body: JSON.stringify({ ...request, user: large }) },
      413,
      'request_too_large',
      'body',
    ],
    [
      'a body that is nested too deeply',
      { body: body.replace(/}$/, `,"x":${deep}}`) },
      400,
      'invalid_request_error',
      'body',
    ],
    [
      'a compressed body',
      withHeader('content-encoding', 'gzip'),
      415,
      'unsupported_media_type',
      'content-encoding',
    ],
    [
      'a header that is too long',
      withHeader('user-agent', large.slice(0, 8193)),
      400,
      'invalid_request_error',
      'user-agent',
    ],
    [
      'metadata that is too long',
      withHeader('gateway-user-id', large.slice(0, 257)),
      400,
      'invalid_request_error',
      'gateway-user-id',
    ],
    [
      'a line break in metadata',
      withHeader('gateway-user-id', 'a\n{"level":"ERROR"}'),
      400,
      'invalid_request_error',
      'gateway-user-id',
    ],
    [
      'a line break in the model',
      { body: body.replace('gpt-4o', 'a\\nb') },
      400,
      'invalid_request_error',
      'model',
    ],
  ])(
    'rejects %s without calling the provider, and logs it',
    async (_, { body: sent, headers }, status, code, param) => {
      const { upstream, gateway } = await fixture.setUp();
      const response = await gateway.post(sent, headers);
      expect([response.status, JSON.parse(response.text).error]).toEqual([
        status,
        { message: expect.any(String), type: 'invalid_request_error', param, code },
      ]);
      expect(upstream.requests).toEqual([]);
      expect(gateway.lines.map(({ event }) => event)).toEqual(['request_completed']);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({ status, outcome: 'rejected', error_code: code }),
      ]);
    },
  );

  it.each(['openai', 'mistral', 'anthropic', 'google', 'bedrock', 'nosuch'])(
    'rejects a body that is nested too deeply for the provider %s',
    async (provider) => {
      const { gateway } = await fixture.setUp();
      const response = await gateway.post(`{"model":"${provider}/m","messages":[],"x":${deep}}`);
      expect([response.status, JSON.parse(response.text).error.message]).toEqual([
        400,
        'The request body must not be nested deeper than 100 levels',
      ]);
    },
  );
});

it('accepts any content type', async () => {
  const { gateway } = await fixture.setUp();
  expect((await gateway.post(request, { 'content-type': 'text/plain' })).status).toBe(200);
});

it('forwards __proto__ and constructor members without polluting prototypes', async () => {
  const { upstream, gateway } = await fixture.setUp();
  const members = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}';
  const body = `{"model":"openai/gpt-4o",${members},"messages":[{"role":"user","content":"Hi",${members}}]}`;
  upstream.script(jsonResponse({ choices: [{ finish_reason: 'stop' }] }));
  expect((await gateway.post(body)).status).toBe(200);
  expect(upstream.requests[0]?.body.toString()).toBe(body.replace('openai/gpt-4o', 'gpt-4o'));
  for (const model of ['mistral/m', '__proto__/m', 'constructor/m']) {
    const headers = Object.fromEntries([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    await gateway.post(body.replace('openai/gpt-4o', model), headers);
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
});

it('returns 401 for a duplicate authorization header in different letter case', async () => {
  const { gateway } = await fixture.setUp();
  const authorization = `Bearer ${gateway.apiKey}`;
  const event = proxyEvent({
    httpMethod: 'POST',
    resource: '/ai/chat/completions',
    headers: { authorization },
    multiValueHeaders: { Authorization: [authorization], authorization: [authorization] },
    body: JSON.stringify(request),
  });
  const call = await gateway.call(event as never, new PassThrough());
  expect([call.status, JSON.parse((await buffer(call.body)).toString()).error.code]).toEqual([
    401,
    'invalid_api_key',
  ]);
  await call.invocation;
  expect(await gateway.entries()).toEqual([]);
});
