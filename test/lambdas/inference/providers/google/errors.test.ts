import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogle } from '#test/support/providers/google/call.ts';
import { type GoogleUpstream, startGoogleUpstream } from '#test/support/providers/google/upstream.ts';

const weather = { type: 'function', function: { name: 'weather' } };
const question = { role: 'user', content: 'Weather?' };
const toolCall = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const calling = { role: 'assistant', tool_calls: [toolCall] };
const result = { role: 'tool', tool_call_id: 'c1', content: 'Rain' };
const corrupted = { google: { thought_signature: 'xyz' } };

/** The error that the caller gets for what Google answers. */
async function errorFor(body: unknown, { status = 400, headers = {}, request = {} } = {}) {
  const response = {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [JSON.stringify(body)],
  };
  const exchanged = await callGoogle(request, { response });
  if (exchanged.response.kind !== 'refusal')
    throw new Error(`Expected a refusal, not a ${exchanged.response.kind}`);
  return exchanged.response.error;
}

describe("Google's refusal", () => {
  let upstream: GoogleUpstream;
  beforeAll(async () => {
    upstream = await startGoogleUpstream({ expectedApiKey: 'sk-1' });
  });
  afterAll(() => upstream.stop());

  const askFake = async (request: Record<string, unknown>) => {
    const { outgoing } = await callGoogle(request);
    const { pathname, search } = outgoing.url;
    const url = `${upstream.baseUrl}${pathname.replace('/v1beta', '')}${search}`;
    const answer = await fetch(url, { method: 'POST', headers: outgoing.headers, body: outgoing.body });
    return await errorFor(await answer.json(), { status: answer.status, request });
  };

  it.each<[string, string | null, Record<string, unknown>]>([
    ['a temperature', 'temperature', { temperature: 3 }],
    ['a share of the likely words', 'top_p', { top_p: 2 }],
    ['a limit', 'max_tokens', { max_tokens: -1 }],
    ['a limit by its new name', 'max_completion_tokens', { max_completion_tokens: -1 }],
    ['a number of answers', 'n', { n: 9, model: 'gemini-2.5-flash' }],
    ['more than one answer', 'n', { n: 2 }],
    ['more stop sequences than five', 'stop', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }],
    ['no thought', 'reasoning_effort', { reasoning_effort: 'medium', model: 'gemini-3-pro-preview' }],
    [
      'thought in its own words',
      null,
      { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } }, model: 'gemini-3.8-flash' },
    ],
    [
      'JSON beside functions',
      'response_format',
      { model: 'gemini-2.5-flash', tools: [weather], response_format: { type: 'json_object' } },
    ],
    [
      'a choice of what is not there',
      'tool_choice',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'wether' } } },
    ],
    ['a name', 'tools', { tools: [{ type: 'function', function: { name: '1st' } }] }],
    ['two functions of one name', 'tools', { tools: [weather, weather] }],
    ['a tool', 'tools', { tools: [{ type: 'web_search' }] }],
    ['calls without results', 'messages', { messages: [question, calling, question], tools: [weather] }],
    ['calls before a question', 'messages', { messages: [calling, result], tools: [weather] }],
    ['no messages', 'messages', { messages: [] }],
    [
      'a signature',
      'messages',
      {
        messages: [question, { ...calling, tool_calls: [{ ...toolCall, extra_content: corrupted }] }, result],
      },
    ],
    [
      'an answer to go on with',
      'messages',
      { model: 'gemini-3.8-flash', messages: [question, { role: 'assistant', content: 'Well,' }] },
    ],
    ['a field that it does not know', null, { unheard_of: 1 }],
  ])('of %s names the parameter %s', async (_case, param, request) => {
    expect(await askFake(request)).toMatchObject({
      code: 'provider_rejected_request',
      status: 400,
      providerCode: 'INVALID_ARGUMENT',
      param,
    });
  });

  it('of the key is of the gateway, not of the caller', async () => {
    upstream.behaviour = { expectedApiKey: 'another' };
    const error = await askFake({});
    upstream.behaviour = { expectedApiKey: 'sk-1' };

    expect(error).toMatchObject({ code: 'provider_authentication_failed', status: 502, param: null });
    expect(error.message).not.toMatch(/valid/);
  });

  it.each(['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED', 'API_KEY_HTTP_REFERRER_BLOCKED'])(
    'for the reason %s is of the key, whatever its words and its status',
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

describe("Google's error", () => {
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
  ])('that says to come back in %s says so in the header', async (retryDelay, seconds) => {
    const error = await errorFor(retryInfo(retryDelay), { status: 429 });

    expect(error).toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': seconds } });
  });

  it.each(['soon', '-3s', 5, null])('that says to come back in %j says nothing of it', async (retryDelay) => {
    expect((await errorFor(retryInfo(retryDelay), { status: 429 })).headers).toEqual({});
  });

  it('keeps the header of something in between', async () => {
    const error = await errorFor(retryInfo('31s'), { status: 429, headers: { 'retry-after': '7' } });

    expect(error.headers).toEqual({ 'retry-after': '7' });
  });

  it('may come in a list', async () => {
    const error = { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' };

    expect(await errorFor([{ error }], { status: 503 })).toMatchObject({
      status: 503,
      message: 'Overloaded',
      providerCode: 'UNAVAILABLE',
    });
  });

  it('of a prompt that is too long has the code that clients look for', async () => {
    const message = 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).';

    expect(await errorFor({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })).toMatchObject({
      providerCode: 'context_length_exceeded',
      param: 'messages',
      status: 400,
    });
  });

  it("of the model's name is of a model that is not there", async () => {
    const message = '* GenerateContentRequest.model: unexpected model name format\n';

    expect(await errorFor({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } })).toMatchObject({
      code: 'model_not_found',
      param: 'model',
    });
  });

  it.each([
    ['CachedContent not found (or permission denied)', null],
    ['You do not have permission to access the File abc or it may not exist.', 'messages'],
  ])('of what the caller may not see is of the caller: %s', async (message, param) => {
    const error = { code: 403, message, status: 'PERMISSION_DENIED' };

    expect(await errorFor({ error }, { status: 403 })).toMatchObject({
      code: 'provider_rejected_request',
      status: 400,
      message,
      param,
    });
  });

  it.each([
    ['empty', ''],
    ['a page', '<html>'],
    ['no error', { message: 'x' }],
    ['an error without words', { error: {} }],
    ['an error in words', { error: 'x' }],
  ])('is told by its status when it is %s', async (_case, body) => {
    expect(await errorFor(body, { status: 500 })).toMatchObject({
      code: 'provider_error',
      status: 502,
      message: 'The provider google answered with status 500',
    });
  });
});
