import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogle } from '#test/support/providers/google/call.ts';
import { type GoogleUpstream, startGoogleUpstream } from '#test/support/providers/google/upstream.ts';

const weather = { type: 'function', function: { name: 'weather' } };
const question = { role: 'user', content: 'Weather?' };
const toolCall = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const assistantCall = { role: 'assistant', tool_calls: [toolCall] };
const result = { role: 'tool', tool_call_id: 'c1', content: 'Rain' };
const corruptedSignature = { google: { thought_signature: 'xyz' } };

async function errorFor(body: unknown, { status = 400, headers = {}, request = {} } = {}) {
  const response = {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [JSON.stringify(body)],
  };
  const { response: providerResponse } = await callGoogle(request, { response });
  if (providerResponse.kind !== 'failure')
    throw new Error(`Expected a failure, not a ${providerResponse.kind}`);
  return providerResponse.error;
}

describe('Requests that Google rejects', () => {
  let upstream: GoogleUpstream;
  beforeAll(async () => {
    upstream = await startGoogleUpstream({ expectedApiKey: 'sk-1' });
  });
  afterAll(() => upstream.stop());

  const errorFromUpstream = async (request: Record<string, unknown>) => {
    const { outgoing } = await callGoogle(request);
    const { pathname, search } = outgoing.url;
    const url = `${upstream.baseUrl}${pathname.replace('/v1beta', '')}${search}`;
    const response = await fetch(url, { method: 'POST', headers: outgoing.headers, body: outgoing.body });
    return await errorFor(await response.json(), { status: response.status, request });
  };

  it.each<[string, string | null, Record<string, unknown>]>([
    ['temperature out of range', 'temperature', { temperature: 3 }],
    ['top_p out of range', 'top_p', { top_p: 2 }],
    ['negative max_tokens', 'max_tokens', { max_tokens: -1 }],
    ['negative max_completion_tokens', 'max_completion_tokens', { max_completion_tokens: -1 }],
    ['n out of range', 'n', { n: 9, model: 'gemini-2.5-flash' }],
    ['n above 1 for a model without candidates', 'n', { n: 2 }],
    ['more than five stop sequences', 'stop', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }],
    [
      'an unsupported reasoning effort',
      'reasoning_effort',
      { reasoning_effort: 'medium', model: 'gemini-3-pro-preview' },
    ],
    [
      'an unsupported thinkingLevel',
      null,
      { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } }, model: 'gemini-3.8-flash' },
    ],
    [
      'JSON output combined with functions',
      'response_format',
      { model: 'gemini-2.5-flash', tools: [weather], response_format: { type: 'json_object' } },
    ],
    [
      'a tool choice that names an undeclared function',
      'tool_choice',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'wether' } } },
    ],
    ['duplicate function names', 'tools', { tools: [weather, weather] }],
    ['an unknown tool', 'tools', { tools: [{ type: 'web_search' }] }],
    [
      'tool calls without results',
      'messages',
      { messages: [question, assistantCall, question], tools: [weather] },
    ],
    ['no messages', 'messages', { messages: [] }],
    [
      'a corrupted thought signature',
      'messages',
      {
        messages: [
          question,
          { ...assistantCall, tool_calls: [{ ...toolCall, extra_content: corruptedSignature }] },
          result,
        ],
      },
    ],
    [
      'a conversation that ends with the assistant',
      'messages',
      { model: 'gemini-3.8-flash', messages: [question, { role: 'assistant', content: 'Well,' }] },
    ],
    ['an unknown field', null, { unheard_of: 1 }],
  ])('maps %s to provider_rejected_request with param %s', async (_case, param, request) => {
    expect(await errorFromUpstream(request)).toMatchObject({
      code: 'provider_rejected_request',
      status: 400,
      providerCode: 'INVALID_ARGUMENT',
      param,
    });
  });

  it('maps an invalid key to provider_authentication_failed without quoting the error', async () => {
    upstream.behaviour = { expectedApiKey: 'another' };
    const error = await errorFromUpstream({});
    upstream.behaviour = { expectedApiKey: 'sk-1' };

    expect(error).toMatchObject({ code: 'provider_authentication_failed', status: 502, param: null });
    expect(error.message).not.toMatch(/valid/);
  });

  it.each(['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED', 'API_KEY_HTTP_REFERRER_BLOCKED'])(
    'maps the reason %s to provider_authentication_failed, regardless of message and status',
    async (reason) => {
      const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }];
      const error = {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Requests with AIza… are blocked.',
        details,
      };

      expect(await errorFor({ error })).toMatchObject({ code: 'provider_authentication_failed' });
    },
  );
});

describe('Google error responses', () => {
  const retryInfo = (retryDelay: unknown) => ({
    error: {
      code: 429,
      message: 'Quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
    },
  });

  it.each([
    ['31s', '31'],
    ['34.4s', '35'],
    ['0.000000001s', '1'],
    ['0s', '0'],
  ])('converts retryDelay %s to retry-after %s', async (retryDelay, seconds) => {
    const error = await errorFor(retryInfo(retryDelay), { status: 429 });

    expect(error).toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': seconds } });
  });

  it.each(['soon', '-3s', 5, null])('ignores the invalid retryDelay %j', async (retryDelay) => {
    expect((await errorFor(retryInfo(retryDelay), { status: 429 })).headers).toEqual({});
  });

  it('prefers the retry-after header over retryDelay', async () => {
    const error = await errorFor(retryInfo('31s'), { status: 429, headers: { 'retry-after': '7' } });

    expect(error.headers).toEqual({ 'retry-after': '7' });
  });

  it('reads an error wrapped in an array', async () => {
    const error = { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' };

    expect(await errorFor([{ error }], { status: 503 })).toMatchObject({
      status: 503,
      message: 'Overloaded',
      providerCode: 'UNAVAILABLE',
    });
  });

  it('maps a prompt that is too long to context_length_exceeded', async () => {
    const message = 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).';

    expect(await errorFor({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })).toMatchObject({
      providerCode: 'context_length_exceeded',
      param: 'messages',
      status: 400,
    });
  });

  it('maps an invalid model name to model_not_found', async () => {
    const message = '* GenerateContentRequest.model: unexpected model name format\n';

    expect(await errorFor({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })).toMatchObject({
      code: 'model_not_found',
      param: 'model',
    });
  });

  it.each([
    ['CachedContent not found (or permission denied)', null],
    ['You do not have permission to access the File abc or it may not exist.', 'messages'],
  ])("maps missing permission for the caller's resources to a 400: %s", async (message, param) => {
    const error = { code: 403, message, status: 'PERMISSION_DENIED' };

    expect(await errorFor({ error }, { status: 403 })).toMatchObject({
      code: 'provider_rejected_request',
      status: 400,
      message,
      param,
    });
  });

  it.each([
    ['an empty body', ''],
    ['an HTML page', '<html>'],
    ['a body without an error', { message: 'x' }],
    ['an error without a message', { error: {} }],
    ['an error that is a string', { error: 'x' }],
  ])('reports only the status for %s', async (_case, body) => {
    expect(await errorFor(body, { status: 500 })).toMatchObject({
      code: 'provider_error',
      status: 502,
      message: 'The provider google returned status 500',
    });
  });
});
