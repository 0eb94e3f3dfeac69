import { describe, expect, it } from 'vitest';
import { findErrorInBody, readErrorResponse, toGatewayError } from '#lambdas/inference/providers/errors.ts';

function errorFor(status: number, body: unknown, headers = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return readErrorResponse({ provider: 'groq', model: 'llama', status, headers, body: bytes });
}

describe('readErrorResponse', () => {
  it.each([400, 413, 422])('keeps status, message, code and param of a %i', (status) => {
    const error = {
      message: 'Too many images',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'too_many_images',
    };
    const gatewayError = errorFor(status, { error });
    expect([gatewayError.status, gatewayError.toBody()]).toEqual([status, { error }]);
  });

  it.each([400, 413, 422, 503])('forwards retry-after of a %i', (status) => {
    expect(errorFor(status, '', { 'retry-after': '7' }).headers).toEqual({ 'retry-after': '7' });
  });

  it('reads a 429 as rate_limit_exceeded and forwards its retry-after', () => {
    const gatewayError = errorFor(
      429,
      { error: { message: 'Slow down', code: null } },
      { 'retry-after': '7' },
    );
    expect(gatewayError).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(gatewayError.toBody().error).toEqual({
      message: 'Slow down',
      type: 'rate_limit_error',
      param: null,
      code: 'rate_limit_exceeded',
    });
  });

  it.each([401, 403])('reads a %i as provider_authentication_failed without quoting it', (status) => {
    const gatewayError = errorFor(status, { error: { message: 'Incorrect API key provided: gsk_se*ret' } });
    expect(gatewayError).toMatchObject({ status: 502, code: 'provider_authentication_failed' });
    expect(gatewayError.message).not.toContain('gsk');
  });

  it.each([
    [
      {
        code: 'The caller does not have permission to execute the specified operation',
        error: 'Content violates usage guidelines. Team: t-1, API key ID: k-1, Model: llama, Failed check: X',
      },
      'Content violates usage guidelines.',
    ],
    [
      { error: { message: 'Your input was flagged', code: 403, metadata: { reasons: ['violence'] } } },
      'Your input was flagged',
    ],
    [
      { error: { message: 'Your input was flagged', code: 403, metadata: { flagged_input: 'How to' } } },
      'Your input was flagged',
    ],
  ])('reads a 403 from content moderation as content_filter: %j', (body, message) => {
    const error = { message, type: 'invalid_request_error', param: null, code: 'content_filter' };
    const gatewayError = errorFor(403, body);
    expect([gatewayError.status, gatewayError.toBody()]).toEqual([400, { error }]);
  });

  it.each([
    { error: 'Team: t-1 may not do this. Content violates usage guidelines.' },
    { error: { message: 'Forbidden', metadata: { provider_name: 'OpenAI', raw: 'reasons' } } },
  ])('reads a 403 as provider_authentication_failed unless it is from content moderation: %j', (body) => {
    expect(errorFor(403, body).code).toBe('provider_authentication_failed');
  });

  it.each([
    { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***wd.' },
    { error: { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    { error: { message: 'API Key not found. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    { error: { message: 'API key expired. Please renew the API key.', status: 'INVALID_ARGUMENT' } },
    { error: { message: 'Invalid API Key', code: 'invalid_api_key' } },
  ])("reads a 400 about the gateway's key as provider_authentication_failed: %j", (body) => {
    const gatewayError = errorFor(400, body);
    expect(gatewayError).toMatchObject({
      status: 502,
      code: 'provider_authentication_failed',
      providerCode: null,
    });
    expect(gatewayError.message).toBe(
      "The provider groq rejected the gateway's credentials; the gateway's operator must replace them",
    );
  });

  it('keeps the status of a 400 that only mentions an API key', () => {
    const message = 'The tool "login" is wrong: invalid API key in its example';
    expect(errorFor(400, { error: { message } })).toMatchObject({ status: 400, message });
  });

  it.each([
    [404, { error: { message: 'The model `llama` does not exist', code: 'model_not_found' } }],
    [404, { object: 'error', message: 'The model `llama` does not exist.', code: 404 }],
    [400, { object: 'error', message: 'Invalid model: llama', type: 'invalid_model' }],
    [
      400,
      { error: { message: 'Model Not Exist', type: 'invalid_request_error', code: 'invalid_request_error' } },
    ],
    [400, { error: { message: 'llama is not a valid model ID', code: 400 } }],
  ])('reads a %i about an unknown model as model_not_found: %j', (status, body) => {
    const gatewayError = errorFor(status, body);
    expect(gatewayError).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
    expect(gatewayError.message).toMatch(/^The provider groq has no model llama: /);
  });

  it.each([
    [
      400,
      { error: { message: 'This model supports images, but the file at https://x/y.png was not found.' } },
    ],
    [400, { error: { message: 'Invalid model output: try again' } }],
    [400, { error: { message: 'Unknown model parameter: foo' } }],
    [400, { error: { message: 'The tool model x not found', param: 'tools' } }],
    [404, { detail: 'Not Found' }],
    [404, { error: { message: 'Invalid URL (POST /v2/chat/completions)' } }],
  ])('does not read a %i with %j as model_not_found', (status, body) => {
    expect(errorFor(status, body).code).not.toBe('model_not_found');
  });

  it.each([
    [404, { error: { message: 'No endpoints found for llama.', code: 404 } }],
    [404, { error: { message: 'Unable to access model llama.', code: 'model_not_available' } }],
    [404, { error: 'model "llama" not found, try pulling it first' }],
    [404, { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } }],
  ])('recognizes provider-specific messages of a %i as model_not_found: %j', (status, body) => {
    expect(errorFor(status, body).code).toBe('model_not_found');
  });

  it.each([
    [404, '<html>nginx</html>', 502, 'provider_error'],
    [302, '', 502, 'provider_error'],
    [402, { error: { message: 'Insufficient Balance' } }, 502, 'provider_error'],
    [408, '', 504, 'provider_timeout'],
    [500, { error: { message: 'Oops' } }, 502, 'provider_error'],
    [503, { message: 'Overloaded' }, 503, 'provider_unavailable'],
    [504, '', 504, 'provider_timeout'],
    [529, '', 503, 'provider_unavailable'],
  ])('maps a %i with %j to status %i and %s', (status, body, expected, code) => {
    expect(errorFor(status, body)).toMatchObject({ status: expected, code });
  });

  it.each([300, 301, 302, 303, 307, 308])('reports that a redirect (%i) is not followed', (status) => {
    const body = { error: { message: 'Go to https://elsewhere.example.com' } };
    expect(errorFor(status, body, { location: 'https://elsewhere.example.com' }).toBody().error).toEqual({
      message: `The provider groq returned a redirect (status ${status}), which is not followed: the gateway's operator must correct the base URL`,
      type: 'api_error',
      param: null,
      code: 'provider_error',
    });
  });

  it('forwards retry-after-ms in whole milliseconds, beside retry-after or alone', () => {
    const both = { 'retry-after': '1', 'retry-after-ms': '812.5' };
    expect(errorFor(429, '', both).headers).toEqual({ 'retry-after': '1', 'retry-after-ms': '813' });
    expect(errorFor(503, '', { 'retry-after-ms': '20' }).headers).toEqual({ 'retry-after-ms': '20' });
  });

  it.each(['in a while', '-1', '1e9', '9999999999', '1\r\nx: y'])('drops the invalid delay %j', (delay) => {
    const headers = { 'retry-after': delay, 'retry-after-ms': delay };
    expect(errorFor(429, '', headers).headers).toEqual({});
  });

  it('keeps the code of an error without a message', () => {
    expect(errorFor(400, { error: { message: '', code: 'E1' } })).toMatchObject({
      message: 'The provider groq returned status 400',
      providerCode: 'E1',
    });
  });

  it.each([
    [{ error: 'Plain text' }, 'Plain text'],
    [{ message: 'From Mistral' }, 'From Mistral'],
    [{ detail: 'From FastAPI' }, 'From FastAPI'],
    [{ detail: [{ loc: ['body'], msg: 'field required' }] }, 'field required'],
    [[{ error: { message: 'In a list' } }], 'In a list'],
    ['not JSON', 'The provider groq returned status 422'],
  ])('reads %j as the message %j', (body, message) => {
    expect(errorFor(422, body).message).toBe(message);
  });

  it.each([
    [['body', 'temperature'], 'temperature'],
    [['body', 'response_format', 'json_schema', 'name'], 'response_format.json_schema.name'],
    [['body', 'messages', 0, 'user', 'mood'], 'messages[0].mood'],
    [['body', 'messages', 1, 'assistant', 'tool_calls', 0, 'name'], 'messages[1].tool_calls[0].name'],
    [['body'], null],
    [['body', { toString: 0 }, 'temperature'], '.temperature'],
  ])('converts the location %j of a Mistral error to param %j', (loc, param) => {
    const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: 1 }];
    for (const body of [
      { detail },
      { object: 'error', message: { detail }, type: 'invalid_request_error' },
    ]) {
      expect(errorFor(422, body)).toMatchObject({ message: 'Extra inputs are not permitted', param });
    }
  });

  it('does not search deeply nested arrays for an error', () => {
    const body = '['.repeat(20_000) + ']'.repeat(20_000);
    expect(errorFor(422, body).message).toBe('The provider groq returned status 422');
  });
});

describe('toGatewayError', () => {
  it('names provider and status when the error has no message', () => {
    const error = { message: '', code: 'E1' };
    const gatewayError = toGatewayError({ provider: 'groq', model: 'llama', status: 500, error });
    expect(gatewayError).toMatchObject({
      message: 'The provider groq returned status 500',
      providerCode: 'E1',
    });
  });
});

describe('findErrorInBody', () => {
  const find = (value: unknown) => findErrorInBody(value, { provider: 'groq', model: 'llama' });
  const message = 'Said so';

  it.each([
    [{ error: { message, code: 429 } }, 429, 'rate_limit_exceeded'],
    [{ object: 'error', message, code: '3505', raw_status_code: 429 }, 429, 'rate_limit_exceeded'],
    [{ error: { message, code: '429' } }, 429, 'rate_limit_exceeded'],
    [{ error: { message, code: 400 }, choices: [] }, 400, 'provider_rejected_request'],
    [{ error: { message, code: 502 } }, 502, 'provider_error'],
    [{ error: { message, code: 503 } }, 503, 'provider_unavailable'],
    [{ error: { message, status: 529 } }, 503, 'provider_unavailable'],
    [{ error: { message, code: 'tool_use_failed', status_code: 422 } }, 422, 'provider_rejected_request'],
    [{ object: 'error', message, type: 'BadRequestError', code: 400 }, 400, 'provider_rejected_request'],
  ])('reads the numeric status of %j', (value, status, code) => {
    expect(find(value)).toMatchObject({ status, code, message });
  });

  it('ignores status fields that are not numbers', () => {
    const error = { message, code: { toString: 0 }, status: ['404'], status_code: null };
    expect(find({ error })).toMatchObject({ status: 502, code: 'provider_error', message });
  });

  it.each([
    ['invalid_request_error', 400, 'provider_rejected_request'],
    ['request_too_large', 413, 'provider_rejected_request'],
    ['rate_limit_error', 429, 'rate_limit_exceeded'],
    ['insufficient_quota', 429, 'rate_limit_exceeded'],
    ['timeout_error', 504, 'provider_timeout'],
    ['overloaded_error', 503, 'provider_unavailable'],
    ['api_error', 502, 'provider_error'],
    ['server_error', 502, 'provider_error'],
    ['__proto__', 502, 'provider_error'],
  ])('maps the error type or code %s to status %i and %s', (kind, status, code) => {
    expect(find({ type: 'error', error: { type: kind, message } })).toMatchObject({
      status,
      code,
      message,
    });
    expect(find({ error: { code: kind, type: 'x', message } })).toMatchObject({ status, code, message });
  });

  it.each(['authentication_error', 'permission_error', 401, 403, 'invalid_api_key'])(
    'reads the type or code %s as provider_authentication_failed without quoting it',
    (code) => {
      const error = find({
        error: { code, type: 'invalid_request_error', message: 'Wrong key gsk_se*ret' },
      });
      expect(error).toMatchObject({
        status: 502,
        code: 'provider_authentication_failed',
        providerCode: null,
      });
      expect(error?.message).toBe(
        "The provider groq rejected the gateway's credentials; the gateway's operator must replace them",
      );
    },
  );

  it.each([
    [{ type: 'not_found_error', message: 'model: llama' }],
    [{ code: 'model_not_found', message: 'There is no such thing' }],
    [{ code: 404, message: 'No endpoints found for llama.' }],
  ])('reads an error about an unknown model as model_not_found: %j', (error) => {
    expect(find({ error })).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
  });

  it.each([
    [{ error: { message, code: 'strange' } }, message],
    [{ error: { message, code: 1302 } }, message],
    [{ error: { message, code: 200 } }, message],
    [{ error: message }, message],
    [{ error: message, choices: [{ delta: { content: '' } }] }, message],
    [{ error: [{ code: 'unrecognized_keys', message }] }, message],
    [{ error: { error_msg: message } }, message],
    [{ error: true, message }, message],
    [{ error: true }, 'The provider groq reported an error'],
    [{ error: 7 }, 'The provider groq reported an error'],
    [{ error: { message: '', code: 'E1' } }, 'The provider groq reported an error'],
    [{ error: { message: null, type: 'overload' } }, 'The provider groq reported an error'],
    [{ object: 'error' }, 'The provider groq reported an error'],
    [{ type: 'error', message, choices: [] }, message],
    [{ errors: [{ code: 7009, message }], result: null, success: false }, message],
    [{ errors: [message] }, message],
    [{ error_code: 336_100, error_msg: message }, message],
    [{ base_resp: { status_code: 1000, status_msg: message }, choices: null }, message],
    [{ code: 20_012, message, data: null }, message],
    [{ code: 'Strange', message, request_id: 'r' }, message],
    [{ code: 500, msg: message, success: false }, message],
    [{ message, choices: [] }, message],
    [{ detail: message }, message],
    [{ detail: [{ loc: ['body', 'n'], msg: message }] }, message],
    [{ detail: { error: { message } } }, message],
    [{ Message: message }, message],
    [{ __type: 'com.amazon.coral.service#UnknownOperationException' }, 'The provider groq reported an error'],
    [[{ error: { message } }], message],
  ])('reads any other error as provider_error: %j', (value, expectedMessage) => {
    expect(find(value)).toMatchObject({ status: 502, code: 'provider_error', message: expectedMessage });
  });

  it.each([
    [{ error: { message, code: 8, status: 'RESOURCE_EXHAUSTED' } }, 429, 'RESOURCE_EXHAUSTED'],
    [[{ error: { message, status: 'INVALID_ARGUMENT' } }], 400, 'INVALID_ARGUMENT'],
    [{ __type: 'com.amazon.coral.service#ThrottlingException', message }, 429, 'ThrottlingException'],
    [{ __type: 'ValidationException', Message: message }, 400, 'ValidationException'],
    [{ code: 'Throttling.RateQuota', message, request_id: 'r' }, 429, 'Throttling.RateQuota'],
    [{ code: 'InvalidParameter', message, request_id: 'r' }, 400, 'InvalidParameter'],
    [{ error: message, error_type: 'validation' }, 422, 'validation'],
    [{ error_code: 18, error_msg: message }, 429, null],
    [{ error_code: 336_003, error_msg: message }, 502, '336003'],
    [{ base_resp: { status_code: 1002, status_msg: message } }, 429, '1002'],
    [{ base_resp: { status_code: 2013, status_msg: message }, choices: null }, 400, '2013'],
    [{ error: 429, message }, 429, null],
    [{ error: { message }, status: 503 }, 503, null],
    [{ status: 422, title: 'Unprocessable', detail: message }, 422, null],
  ])('reads status and code of %j', (value, status, providerCode) => {
    expect(find(value)).toMatchObject({ status, providerCode, message });
  });

  const text = { choices: [{ delta: { content: 'Hi' } }] };

  it.each([
    {},
    ...[null, '', ' ', false, 0, '0', 200, 'success', {}, [], [{}]].map((error) => ({ error })),
    { error: { message: '', type: '', param: '', code: null } },
    { error: { message: 'success', code: 0 } },
    { error: { message: null, code: '0', status: 'OK', status_code: 200 } },
    { errors: [] },
    { error_code: 0, error_msg: '' },
    { base_resp: { status_code: 0, status_msg: '' } },
    { code: 0, message: 'Waiting' },
    { code: 'success', msg: 'Done' },
    { ...text, code: 429, message: 'Near the limit' },
    { ...text, detail: 'See the docs', msg: 'Hi' },
    { output: { text: 'Hi' }, message: 'Done' },
    { choices: [], usage: { total_tokens: 3 }, message: 'Done' },
    { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' },
    { index: 0, delta: { content: 'Hi' }, error: { message: '' } },
  ])('finds no error in %j', (value) => {
    expect(find(value)).toBeNull();
  });
});
