/** Requests of the Responses API that fail: whose words the caller gets, what is logged and what is charged. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import {
  controlledStream,
  hangBeforeHeaders,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import {
  exampleRequest,
  responseFields,
  responsesEvent,
  startResponsesGateway,
} from '#test/support/responses/gateway.ts';

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  gateway = await startResponsesGateway(gateways);
});
afterAll(() => gateways.stop());

const streamed = { ...exampleRequest, stream: true };
const providerError = (code: string, message: string) =>
  `{ "error": {"message":"${message}","type":"server_error","param":null,"code":"${code}","details":{"x":1}} }`;
const created = responsesEvent({
  type: 'response.created',
  sequence_number: 0,
  response: { ...responseFields, status: 'in_progress', output: [], usage: null },
});

describe("The gateway's own errors", () => {
  it.each<[string, string | null, object | string]>([
    ['invalid_request_error', 'body', '{"model":'],
    ['model_not_found', 'model', { ...exampleRequest, model: 'unknown/model' }],
    ['invalid_request_error', 'input', { ...exampleRequest, input: 7 }],
    ['invalid_request_error', 'stream', { ...exampleRequest, stream: 'yes' }],
    ['unsupported_parameter', 'background', { ...exampleRequest, background: true }],
    ['unsupported_parameter', 'background', '{"model":"openai/gpt-5.5","BACKGROUND":"true"}'],
    [
      'unsupported_parameter',
      'background',
      '{"model":"openai/gpt-5.5","background":true,"background":false}',
    ],
  ])('have the code %s and the parameter %s for %j', async (code, param, body) => {
    const { status, text, headers } = await gateway.handler.post(body);

    const entry = (await gateway.handler.entries()).at(-1);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      error: { type: 'invalid_request_error', code, param, message: expect.any(String) },
    });
    expect(headers['x-request-id']).toBe(entry?.id);
    expect(entry).toMatchObject({ outcome: 'rejected', operation: 'responses', error_code: code });
  });

  it('say why a response cannot be made in the background', async () => {
    const { text } = await gateway.handler.post({ ...exampleRequest, background: true });

    expect(JSON.parse(text).error.message).toBe(
      'background is not supported: the result of a background response, and its usage, come with a later retrieval, which the gateway does not serve. Send the request without background, with stream for long responses.',
    );
  });

  it('name the operation that a provider without chats does not have', async () => {
    const none = { 'chat.completions': false } as const;
    const { handler } = await startResponsesGateway(gateways, {
      settingsOf: (baseUrl) => ({ custom: { baseUrl, operations: none } }),
    });

    const { status, text } = await handler.post({ ...exampleRequest, model: 'custom/m' });

    expect([status, JSON.parse(text).error]).toEqual([
      400,
      {
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
        message:
          'The provider custom does not have the operation responses; GET /ai/models lists the operations of each model',
      },
    ]);
  });

  it('are errors of authentication without a key', async () => {
    const { status, text } = await gateway.handler.post(exampleRequest, { authorization: 'Bearer nothing' });

    expect([status, JSON.parse(text).error.code]).toEqual([401, 'invalid_api_key']);
  });

  it.each([
    [jsonResponse('<html>Bad gateway</html>', { status: 502 }), 502, 'provider_error'],
    [jsonResponse({ message: 'Too many requests' }, { status: 429 }), 429, 'rate_limit_exceeded'],
    [jsonResponse('', { status: 301 }), 502, 'provider_error'],
  ])(
    'stand for failures of the provider that are not in its format: %#',
    async (respond, expectedStatus, code) => {
      const { status, text, entry } = await gateway.exchange(respond, exampleRequest);

      expect([status, JSON.parse(text).error.code]).toEqual([expectedStatus, code]);
      expect(entry.outcome).toBe('provider_error');
    },
  );

  it('tell that the provider took too long', async () => {
    const { handler, upstream } = await startResponsesGateway(gateways, { limits: { firstByteMs: 20 } });
    upstream.script(hangBeforeHeaders);

    const { status, text } = await handler.post(exampleRequest);

    expect([status, JSON.parse(text).error.code]).toEqual([504, 'provider_timeout']);
    expect(await handler.entries()).toMatchObject([{ outcome: 'timeout', status: 504 }]);
  });
});

describe("A provider's error", () => {
  it.each([
    [400, 'unknown_parameter', "Unknown parameter: 'x'."],
    [404, 'model_not_found', 'The model does not exist'],
    [409, 'conflict', 'Another request'],
    [429, 'rate_limit_exceeded', 'Rate limit reached'],
    [500, 'server_error', 'The server had an error'],
    [503, 'overloaded', 'Overloaded'],
  ])('passes unchanged: %i %s', async (expectedStatus, code, message) => {
    const body = providerError(code, message);
    const headers = { 'x-request-id': 'req_9', 'retry-after': '7', 'x-should-retry': 'false' };

    const response = await gateway.exchange(
      jsonResponse(body, { status: expectedStatus, headers }),
      exampleRequest,
    );

    expect([response.status, response.text]).toEqual([expectedStatus, body]);
    expect(response.headers).toMatchObject(headers);
    expect(response.entry).toMatchObject({
      outcome: 'provider_error',
      status: expectedStatus,
      error_code: code,
      cost_usd: '0',
    });
  });

  it('is without the credential, also within a stream', async () => {
    const body = providerError('invalid_prompt', `The key ${providerKey} may not do this`);
    const event = (text: string) => `event: error\ndata: {"type":"error",${text.trim().slice(1)}\n\n`;
    const redact = (text: string) => text.replace(providerKey, '*'.repeat(providerKey.length));

    const whole = await gateway.exchange(jsonResponse(body, { status: 400 }), exampleRequest);
    const inStream = await gateway.exchange(streamResponse([created, event(body)]), streamed);

    expect(whole.text).toBe(redact(body));
    expect(inStream.text).toBe(created + redact(event(body)));
  });

  it.each([401, 403])('about the credential is the gateway’s: %i', async (providerStatus) => {
    const body = providerError('invalid_api_key', `Incorrect API key provided: ${providerKey}`);

    const { status, text } = await gateway.exchange(
      jsonResponse(body, { status: providerStatus }),
      exampleRequest,
    );

    expect([status, JSON.parse(text).error]).toEqual([
      502,
      {
        type: 'api_error',
        code: 'provider_authentication_failed',
        param: null,
        message:
          "The provider openai rejected the gateway's credentials; the gateway's operator must replace them",
      },
    ]);
  });

  it('in a whole response is passed on with it, and charged by what it reports', async () => {
    const failed = {
      ...responseFields,
      status: 'failed',
      error: { code: 'server_error', message: 'The model failed' },
    };

    const { status, text, entry } = await gateway.exchange(jsonResponse(failed), exampleRequest);

    expect([status, JSON.parse(text)]).toEqual([200, failed]);
    expect(entry).toMatchObject({
      status: 200,
      outcome: 'provider_error',
      error_code: 'server_error',
      input_tokens: 19,
      output_tokens: 5,
      usage_source: 'provider',
    });
  });

  it('is an event after a heartbeat has started the stream, which none does in the first second', async () => {
    const { handler, upstream } = await startResponsesGateway(gateways, { limits: { heartbeatMs: 5 } });
    const late = controlledStream({ status: 429, headers: { 'content-type': 'application/json' } });
    upstream.script(late.respond);

    const sentAtMs = performance.now();
    const call = await handler.call(handler.event(streamed));
    // A timer may be early by a fraction of a millisecond.
    expect(performance.now() - sentAtMs).toBeGreaterThan(999);
    await late.write(providerError('rate_limit_exceeded', 'Slow down'));
    await late.end();
    const text = (await Array.fromAsync(call.body)).join('');
    await call.invocation;

    const error = { code: 'rate_limit_exceeded', message: 'Slow down', param: null };
    const event = { type: 'error', sequence_number: 0, ...error };
    expect(call.status).toBe(200);
    expect(text.replaceAll(': ping\n\n', '')).toBe(
      `event: error\ndata: ${JSON.stringify({
        ...event,
        error: { type: 'rate_limit_error', ...error },
      })}\n\n`,
    );
  });

  it.each([
    ['response.failed alone', { error: { code: 'rate_limit_exceeded', message: 'Too large' }, usage: null }],
    ['a cancelled response', { status: 'cancelled', usage: null }],
  ])('%s without usage is estimated', async (_, fields) => {
    const type = 'error' in fields ? 'response.failed' : 'response.cancelled';
    const response = { ...responseFields, status: 'failed', output: [], ...fields };
    const delta = responsesEvent({
      type: 'response.output_text.delta',
      sequence_number: 1,
      delta: 'Hello!!!',
    });
    const final = responsesEvent({ type, sequence_number: 2, response });

    const { text, entry } = await gateway.exchange(streamResponse([created, delta, final]), streamed);

    expect(text).toBe(created + delta + final);
    expect(entry).toMatchObject({ usage_source: 'estimated', input_tokens: 2, output_tokens: 2 });
  });

  it('in an event with the fields of the schema is read too', async () => {
    const event = responsesEvent({
      type: 'error',
      sequence_number: 1,
      code: 'rate_limit_exceeded',
      message: 'Slow down',
      param: null,
    });

    const late = await gateway.exchange(streamResponse([created, event]), streamed);
    const early = await gateway.exchange(streamResponse([event]), streamed);

    expect(late.text).toBe(created + event);
    expect(late.entry).toMatchObject({ outcome: 'provider_error', error_code: 'rate_limit_exceeded' });
    expect([early.status, JSON.parse(early.text).error]).toEqual([
      429,
      { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow down', param: null },
    ]);
  });
});
