import { describe, expect, it } from 'vitest';
import { countRefusal, countTokens } from '#test/support/messages/count-tokens.ts';

const text =
  '{ "model":"anthropic/claude-haiku-4-5", "system": "Be brief.", "n": 1.0, "messages":[{"role":"user","content":"Grüße"}] }';
const count = { body: '{ "input_tokens": 14, "other": 1.0 }' };

describe("The request to Anthropic's counter", () => {
  it('has the bytes of the caller, with the model of the provider', async () => {
    const { request, response } = await countTokens(text, {
      callerHeaders: {
        'anthropic-beta': 'token-counting-2024-11-01',
        'anthropic-new': 'x',
        authorization: 'Bearer pt_live_x',
        'x-api-key': 'pt_live_x',
        'user-agent': 'me',
      },
      responses: [{ ...count, headers: { 'request-id': 'req_1', 'anthropic-organization-id': 'o' } }],
    });

    expect(request).toEqual({
      url: 'https://api.anthropic.com/v1/messages/count_tokens',
      headers: {
        'accept-encoding': 'identity',
        'anthropic-beta': 'token-counting-2024-11-01',
        'anthropic-new': 'x',
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
        'user-agent': 'me',
        'x-api-key': 'sk-1',
      },
      body: text.replace('anthropic/claude', 'claude'),
    });
    expect(response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'request-id': 'req_1' },
      body: count.body,
    });
  });

  it("has the caller's version of the API", async () => {
    const callerHeaders = { 'anthropic-version': '2024-01-01' };
    const { request } = await countTokens(text, { callerHeaders, responses: [count] });
    expect(request.headers['anthropic-version']).toBe('2024-01-01');
  });

  it.each([
    ['openrouter', {}, 'https://openrouter.ai/api/v1/messages/count_tokens'],
    ['deepseek', {}, 'https://api.deepseek.com/anthropic/v1/messages/count_tokens'],
    [
      'mine',
      { mine: { baseUrl: 'https://llm.example/v1', operations: { messages: '/messages' } } },
      'https://llm.example/v1/messages/count_tokens',
    ],
    [
      'openai',
      { openai: { operations: { messages: '/anthropic/messages' } } },
      'https://api.openai.com/v1/anthropic/messages/count_tokens',
    ],
  ])('goes to the Messages API of %s', async (name, settings, url) => {
    const { request } = await countTokens(text.replace('anthropic/', `${name}/`), {
      settings,
      responses: [count],
    });
    expect(request.url).toBe(url);
  });
});

describe("An error of Anthropic's counter", () => {
  const stated = (type: string, message: string) =>
    JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });

  it.each([
    [400, stated('invalid_request_error', 'messages: at least one message is required')],
    [404, stated('not_found_error', 'model: claude-9')],
    [500, stated('api_error', 'Internal server error')],
    [529, stated('overloaded_error', 'Overloaded')],
  ])('of the status %i is passed on unchanged', async (status, body) => {
    const { response } = await countTokens(text, {
      responses: [{ status, body, headers: { 'x-should-retry': 'true', 'retry-after': '30' } }],
    });
    expect(response).toEqual({
      status,
      headers: { 'content-type': 'application/json', 'retry-after': '30', 'x-should-retry': 'true' },
      body,
    });
  });

  it.each([401, 403])('of the status %i is one of the gateway', async (status) => {
    const body = stated('authentication_error', 'invalid x-api-key');
    expect(await countRefusal(text, { responses: [{ status, body }] })).toMatchObject({
      error: { code: 'provider_authentication_failed', status: 502 },
      calls: 1,
    });
  });

  it.each([
    [404, '404 page not found'],
    [404, { detail: 'Not Found' }],
    [405, { detail: 'Method Not Allowed' }],
  ])('of the status %i with the body %j means that there is no counter', async (status, body) => {
    const sent = text.replace('anthropic/', 'openrouter/');
    expect(await countRefusal(sent, { responses: [{ status, body }] })).toMatchObject({
      error: {
        code: 'not_found',
        status: 404,
        message: 'The provider openrouter has no counter of input tokens: clients estimate them',
      },
    });
  });

  it('in another format is one of the gateway', async () => {
    expect(await countRefusal(text, { responses: [{ status: 502, body: 'Bad gateway' }] })).toMatchObject({
      error: { code: 'provider_error', status: 502 },
    });
  });
});
