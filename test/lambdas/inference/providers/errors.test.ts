import { describe, expect, it } from 'vitest';
import { findErrorInBody, readErrorResponse, toGatewayError } from '#lambdas/inference/providers/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

function errorFor(status: number, body: unknown, headers = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return readErrorResponse({ provider: 'groq', model: 'llama', status, headers, body: bytes });
}

describe("a provider's error", () => {
  it.each([400, 413, 422])('of status %i keeps status, message, code and param', (status) => {
    const error = {
      message: 'Too long',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    };
    const told = errorFor(status, { error });
    expect([told.status, told.toBody()]).toEqual([status, { error }]);
  });

  it.each([400, 413, 422, 503])('of status %i keeps retry-after too', (status) => {
    expect(errorFor(status, '', { 'retry-after': '7' }).headers).toEqual({ 'retry-after': '7' });
  });

  it('of status 429 keeps retry-after', () => {
    const told = errorFor(429, { error: { message: 'Slow down', code: null } }, { 'retry-after': '7' });
    expect(told).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(told.toBody().error).toEqual({
      message: 'Slow down',
      type: 'rate_limit_error',
      param: null,
      code: 'rate_limit_exceeded',
    });
  });

  it.each([401, 403])('of status %i is our own failure, and quotes nothing', (status) => {
    const told = errorFor(status, { error: { message: 'Incorrect API key provided: gsk_se*ret' } });
    expect(told).toMatchObject({ status: 502, code: 'provider_authentication_failed' });
    expect(told.message).not.toContain('gsk');
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
  ])("of status 403 about the caller's words is the caller's: %j", (body, message) => {
    const error = { message, type: 'invalid_request_error', param: null, code: 'content_filter' };
    const told = errorFor(403, body);
    expect([told.status, told.toBody()]).toEqual([400, { error }]);
  });

  it.each([
    { error: 'Team: t-1 may not do this. Content violates usage guidelines.' },
    { error: { message: 'Forbidden', metadata: { provider_name: 'OpenAI', raw: 'reasons' } } },
  ])('of status 403 is of our credentials when it says %j', (body) => {
    expect(errorFor(403, body).code).toBe('provider_authentication_failed');
  });

  it.each([
    { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***wd.' },
    { error: { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    { error: { message: 'API Key not found. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    { error: { message: 'API key expired. Please renew the API key.', status: 'INVALID_ARGUMENT' } },
    { error: { message: 'Invalid API Key', code: 'invalid_api_key' } },
  ])('of status 400 that refuses our key is our own failure: %j', (body) => {
    const told = errorFor(400, body);
    expect(told).toMatchObject({ status: 502, code: 'provider_authentication_failed', providerCode: null });
    expect(told.message).toBe(
      "The provider groq refused the gateway's credentials; its operator has to renew them",
    );
  });

  it("of status 400 that speaks of keys in passing is the caller's", () => {
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
  ])('of status %i about a model that it lacks is model_not_found: %j', (status, body) => {
    const told = errorFor(status, body);
    expect(told).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
    expect(told.message).toMatch(/^The provider groq has no model llama: /);
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
  ])('of status %i is of something else when it says %j', (status, body) => {
    expect(errorFor(status, body).code).not.toBe('model_not_found');
  });

  it.each([
    [404, { error: { message: 'No endpoints found for llama.', code: 404 } }],
    [404, { error: { message: 'Unable to access model llama.', code: 'model_not_available' } }],
    [404, { error: 'model "llama" not found, try pulling it first' }],
    [404, { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } }],
  ])('of status %i names the model in its own words: %j', (status, body) => {
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
  ])('of status %i with %j is status %i and %s', (status, body, expected, code) => {
    expect(errorFor(status, body)).toMatchObject({ status: expected, code });
  });

  it.each([300, 301, 302, 303, 307, 308])('of status %i says that nobody goes there', (status) => {
    const body = { error: { message: 'Go to https://elsewhere.example.com' } };
    expect(errorFor(status, body, { location: 'https://elsewhere.example.com' }).toBody().error).toEqual({
      message: `The provider groq answered with a redirect (status ${status}), which is not followed: its operator corrects its base URL`,
      type: 'api_error',
      param: null,
      code: 'provider_error',
    });
  });

  it('has no retry-after that is none', () => {
    expect(errorFor(429, '', { 'retry-after': 'in a while' }).headers).toEqual({});
  });

  it.each([
    [{ error: 'Plain text' }, 'Plain text'],
    [{ message: 'From Mistral' }, 'From Mistral'],
    [{ detail: 'From FastAPI' }, 'From FastAPI'],
    [{ detail: [{ loc: ['body'], msg: 'field required' }] }, 'field required'],
    [[{ error: { message: 'In a list' } }], 'In a list'],
    ['not JSON', 'The provider groq answered with status 422'],
  ])('in the form %j says %j', (body, message) => {
    expect(errorFor(422, body).message).toBe(message);
  });

  it.each([
    [['body', 'temperature'], 'temperature'],
    [['body', 'response_format', 'json_schema', 'name'], 'response_format.json_schema.name'],
    [['body', 'messages', 0, 'user', 'mood'], 'messages[0].mood'],
    [['body', 'messages', 1, 'assistant', 'tool_calls', 0, 'name'], 'messages[1].tool_calls[0].name'],
    [['body'], null],
    [['body', { toString: 0 }, 'temperature'], '.temperature'],
  ])('says where, by the place %j that Mistral names', (loc, param) => {
    const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: 1 }];
    for (const body of [
      { detail },
      { object: 'error', message: { detail }, type: 'invalid_request_error' },
    ]) {
      expect(errorFor(422, body)).toMatchObject({ message: 'Extra inputs are not permitted', param });
    }
  });
});

it('an error is looked for in no list of lists, which may have no end', () => {
  const body = '['.repeat(20_000) + ']'.repeat(20_000);
  expect(errorFor(422, body).message).toBe('The provider groq answered with status 422');
});

it("a provider's error without words still says who answered what", () => {
  const error = { message: '', code: 'E1' };
  const shown = toGatewayError({ provider: 'groq', model: 'llama', status: 500, error });
  expect(shown).toMatchObject({ message: 'The provider groq answered with status 500', providerCode: 'E1' });
});

describe('an error in a response', () => {
  const inside = (value: JsonObject) => findErrorInBody(value, { provider: 'groq', model: 'llama' });
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
  ])('has the status that it says as a number: %j', (value, status, code) => {
    expect(inside(value)).toMatchObject({ status, code, message });
  });

  it('may have a status that is none, and that is no number either', () => {
    const error = { message, code: { toString: 0 }, status: ['404'], status_code: null };
    expect(inside({ error })).toMatchObject({ status: 502, code: 'provider_error', message });
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
  ])('of the kind %s has status %i and is %s, by type and by code', (kind, status, code) => {
    expect(inside({ type: 'error', error: { type: kind, message } })).toMatchObject({
      status,
      code,
      message,
    });
    expect(inside({ error: { code: kind, type: 'x', message } })).toMatchObject({ status, code, message });
  });

  it.each(['authentication_error', 'permission_error', 401, 403, 'invalid_api_key'])(
    'of the kind %s quotes nothing',
    (code) => {
      const error = inside({
        error: { code, type: 'invalid_request_error', message: 'Wrong key gsk_se*ret' },
      });
      expect(error).toMatchObject({
        status: 502,
        code: 'provider_authentication_failed',
        providerCode: null,
      });
      expect(error?.message).toBe(
        "The provider groq refused the gateway's credentials; its operator has to renew them",
      );
    },
  );

  it.each([
    [{ type: 'not_found_error', message: 'model: llama' }],
    [{ code: 'model_not_found', message: 'There is no such thing' }],
    [{ code: 404, message: 'No endpoints found for llama.' }],
  ])('about a model that is lacking is model_not_found: %j', (error) => {
    expect(inside({ error })).toMatchObject({ status: 400, code: 'model_not_found', param: 'model' });
  });

  it.each([
    [{ error: { message, code: 'strange' } }, message],
    [{ error: { message, code: 1302 } }, message],
    [{ error: { message, code: 200 } }, message],
    [{ error: message }, message],
    [{ error: {} }, 'The provider groq reported an error'],
    [{ object: 'error' }, 'The provider groq reported an error'],
  ])('of any other kind is a provider_error: %j', (value, said) => {
    expect(inside(value)).toMatchObject({ status: 502, code: 'provider_error', message: said });
  });

  it.each([{}, { error: null }, { error: '' }, { error: false }, { code: 429, message }])(
    'is not there in %j',
    (value) => {
      expect(inside(value)).toBeNull();
    },
  );
});
