import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { functionUrlEvent } from '#test/support/chat/handler-fixture.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import {
  hangBeforeHeaders,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

/** Sends bytes that Node's HTTP server would not send. */
const rawResponse =
  (bytes: string): Respond =>
  ({ response, disconnect }) => {
    response.socket?.write(bytes);
    disconnect('close');
  };
const switching = rawResponse(
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
);
const truncatedRateLimit = rawResponse(
  'HTTP/1.1 429 Slow\r\ncontent-length: 99\r\nretry-after: 7\r\n\r\n{"error"',
);

describe('Errors of POST /ai/chat/completions', () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  it.each([
    ['{', 'invalid_request_error', 'body', null],
    ['{"model":"openai/gpt-4o"}', 'invalid_request_error', 'messages', null],
    ['{"messages":[]}', 'invalid_request_error', 'model', null],
    ['{"model":"gpt-4o","messages":[]}', 'model_not_found', 'model', 'gpt-4o'],
    ['{"model":"nosuch/gpt-4o","messages":[]}', 'model_not_found', 'model', 'nosuch/gpt-4o'],
    ['{"model":"groq/llama","messages":[]}', 'provider_not_configured', 'model', 'llama'],
  ])('returns 400 for the body %s and logs it as rejected', async (body, code, param, model) => {
    const { upstream, gateway } = await fixture.setUp();
    const response = await gateway.post(body);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text).error).toMatchObject({ type: 'invalid_request_error', code, param });
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({
        status: 400,
        outcome: 'rejected',
        error_code: code,
        error_type: 'invalid_request_error',
        error_param: param,
        error_message: JSON.parse(response.text).error.message,
        model,
        cost_usd: '0',
      }),
    ]);
  });

  it.each([
    ['groq', 'set one with "admin provider set groq"'],
    ['bedrock', 'name it in the settings, or set one with "admin provider set bedrock"'],
  ])('names the operator action for a missing credential of %s', async (provider, remedy) => {
    const { gateway } = await fixture.setUp();
    const response = await gateway.post({ model: `${provider}/m`, messages });
    expect(JSON.parse(response.text).error.message).toBe(
      `The provider ${provider} has no credential: the gateway's operator must ${remedy}`,
    );
  });

  it('returns 401 for an invalid key without a log entry', async () => {
    const { gateway } = await fixture.setUp();
    const response = await gateway.post(
      { model: 'openai/gpt-4o', messages },
      { authorization: 'Bearer pt_live_no' },
    );
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(JSON.parse(response.text).error).toMatchObject({
      type: 'authentication_error',
      code: 'invalid_api_key',
    });
    expect(await gateway.entries()).toEqual([]);
  });

  it.each([
    [errorResponse(400), 400, 'invalid_value', 'provider_error'],
    [errorResponse(401), 502, 'provider_authentication_failed', 'provider_error'],
    [errorResponse(404), 400, 'model_not_found', 'provider_error'],
    [errorResponse(422), 422, 'invalid_request_error', 'provider_error'],
    [errorResponse(429), 429, 'rate_limit_exceeded', 'provider_error'],
    [errorResponse(500), 502, 'server_error', 'provider_error'],
    [errorResponse(503), 503, 'server_error', 'provider_error'],
    [resetBeforeHeaders, 502, 'provider_unavailable', 'provider_error'],
    [switching, 502, 'provider_unavailable', 'provider_error'],
    [truncatedRateLimit, 429, 'rate_limit_exceeded', 'provider_error'],
  ])("returns and logs a provider's error (%#)", async (respond, status, code, outcome) => {
    const { upstream, gateway } = await fixture.setUp();
    // A retry fails in the same way.
    upstream.script(respond, respond);
    const response = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text).error.code).toBe(code);
    expect(response.headers['x-gateway-provider']).toBe('openai');
    expect(response.headers['retry-after']).toBe(status === 429 ? '7' : undefined);
    expect(await gateway.entries()).toEqual([expect.objectContaining({ status, outcome, error_code: code })]);
  });

  it('returns 504 when the provider hangs before or after its headers', async () => {
    const { upstream, gateway } = await fixture.setUp({
      limits: { firstByteMs: 30, idleMs: 30 },
    });
    upstream.script(hangBeforeHeaders, streamResponse([], { ending: 'hang' }));
    for (let call = 0; call < 2; call++) {
      const response = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect([response.status, JSON.parse(response.text).error.code]).toEqual([504, 'provider_timeout']);
    }
    expect((await gateway.entries()).map(({ status, outcome }) => [status, outcome])).toEqual([
      [504, 'timeout'],
      [504, 'timeout'],
    ]);
    expect(await upstream.requests[0]?.ended).toBe('closed_by_client');
  });

  it('sends an error event when the provider stops sending mid-stream', async () => {
    const { upstream, gateway } = await fixture.setUp({
      limits: { idleMs: 30 },
    });
    upstream.script(streamResponse([event(deltaChunk({ content: 'Hel' }))], { ending: 'hang' }));
    const response = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
    expect(response.text).toContain('"code":"provider_timeout"');
    expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'timeout' });
  });

  it('returns and logs an internal error without its message', async () => {
    const lines = recordLogLines();
    const { gateway } = await fixture.setUp({
      dependencies: { transport: () => Promise.reject(new TypeError('a prompt')) },
    });
    const response = await gateway.post({ model: 'openai/gpt-4o', messages });
    expect([response.status, JSON.parse(response.text).error]).toEqual([
      500,
      {
        message: 'The gateway failed to handle the request',
        type: 'api_error',
        param: null,
        code: 'internal_error',
      },
    ]);
    expect(lines).toEqual([
      {
        level: 'ERROR',
        event: 'unexpected_error',
        error: 'TypeError',
        code: null,
        at: expect.stringMatching(/^errors\.test\.ts:\d+:\d+$/),
      },
    ]);
    expect((await gateway.entries())[0]).toMatchObject({ status: 500, outcome: 'provider_error' });
  });

  it('returns 405 with the allowed method for an unsupported method on the function URL', async () => {
    const { gateway } = await fixture.setUp();
    const event = gateway.event({});
    const http = {
      method: 'PUT',
      path: '/ai/chat/completions',
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      userAgent: 'x',
    };
    const call = await gateway.call({
      ...event,
      requestContext: { ...functionUrlEvent.requestContext, http },
    });
    expect([call.status, call.headers.allow]).toEqual([405, 'POST']);
  });

  it.each([
    [{ rawPath: '/ai/nothing' }, 404, 'not_found'],
    [{ rawPath: '/' }, 404, 'not_found'],
  ])('returns 404 for an unknown path on the function URL: %j', async (event, status, code) => {
    const { gateway } = await fixture.setUp();
    const call = await gateway.call({ ...gateway.event({}), ...event });
    expect([call.status, JSON.parse(await text(call.body)).error.code]).toEqual([status, code]);
  });
});
