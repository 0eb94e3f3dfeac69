import { describe, expect, it } from 'vitest';
import { countRefusal, countTokens, startCount } from '#test/support/messages/count-tokens.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const anthropic = { model: 'anthropic/claude-haiku-4-5', messages };
const openai = { model: 'openai/gpt-5', messages };

describe('A request to count tokens', () => {
  it.each([
    ['groq/llama-3', {}],
    ['mistral/mistral-large', {}],
    ['cohere/command-a', {}],
    ['mine/qwen', { mine: { baseUrl: 'https://llm.example/v1' } }],
  ])('is a 404 for %s, whose provider has no counter', async (model, settings) => {
    const [name] = model.split('/');
    expect(await countRefusal({ model, messages }, { settings })).toEqual({
      error: expect.objectContaining({
        code: 'not_found',
        status: 404,
        param: 'model',
        message: `The provider ${name} has no counter of input tokens: clients estimate them`,
      }),
      calls: 0,
    });
  });

  it.each([
    ['no JSON', 'Hi', { code: 'invalid_request_error', param: 'body' }],
    ['no model', { messages }, { code: 'invalid_request_error', param: 'model' }],
    ['no messages', { model: 'anthropic/x' }, { code: 'invalid_request_error', param: 'messages' }],
    ['an unknown provider', { model: 'nobody/x', messages }, { code: 'model_not_found', param: 'model' }],
    [
      'an invalid block',
      { model: 'google/gemini-3.5-flash', messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      { code: 'invalid_request_error', param: 'messages.0.content.0.text' },
    ],
  ])('is refused with %s', async (_, body, error) => {
    expect(await countRefusal(body)).toEqual({ error: expect.objectContaining(error), calls: 0 });
  });

  it('is refused without the credential of the provider', async () => {
    expect(await countRefusal(anthropic, { apiKey: null })).toEqual({
      error: expect.objectContaining({ code: 'provider_not_configured', status: 400 }),
      calls: 0,
    });
  });

  it('is refused if it is compressed', async () => {
    const callerHeaders = { 'content-encoding': 'gzip' };
    expect(await countRefusal(anthropic, { callerHeaders })).toEqual({
      error: expect.objectContaining({ code: 'unsupported_media_type' }),
      calls: 0,
    });
  });

  it('of a route is counted by its first target with a counter', async () => {
    const targets = [{ model: 'groq/llama-3' }, { model: 'anthropic/claude-haiku-4-5' }] as const;
    const { request, response } = await countTokens(
      { model: 'route/main', messages },
      { routes: { main: { strategy: 'order', targets } }, responses: [{ body: { input_tokens: 8 } }] },
    );
    expect(JSON.parse(request.body)).toEqual({ model: 'claude-haiku-4-5', messages });
    expect([response.status, JSON.parse(response.body)]).toEqual([200, { input_tokens: 8 }]);
  });

  it.each([
    ['route/none', undefined, { code: 'model_not_found', status: 400, param: 'model' }],
    ['route/main', ['anthropic/*'], { code: 'model_not_allowed', status: 403, param: 'model' }],
    ['anthropic/claude-haiku-4-5', ['route/*'], { code: 'model_not_allowed', status: 403, param: 'model' }],
  ])('is refused for %s with the list %j', async (model, models, error) => {
    const main = { strategy: 'order', targets: [{ model: 'anthropic/claude-haiku-4-5' }] } as const;
    expect(await countRefusal({ model, messages }, { routes: { main }, models })).toEqual({
      error: expect.objectContaining(error),
      calls: 0,
    });
  });

  it('is sent again with the credential that has replaced a rejected one', async () => {
    const { counted, sent } = startCount(anthropic, {
      renewedKey: 'sk-2',
      responses: [
        { status: 401, body: { error: { message: 'invalid x-api-key' } } },
        { body: { input_tokens: 9 } },
      ],
    });

    expect(await counted).toMatchObject({ status: 200, body: '{"input_tokens":9}' });
    expect(sent.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-1', 'sk-2']);
  });

  it('is sent again when the provider asks for it', async () => {
    const { counted, sent } = startCount(openai, {
      responses: [
        { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'Slow down' } } },
        { body: { object: 'response.input_tokens', input_tokens: 9 } },
      ],
    });

    expect(await counted).toMatchObject({ status: 200, body: '{"input_tokens":9}' });
    expect(sent).toHaveLength(2);
  });
});

describe('The response of a counter', () => {
  it.each([
    ['no count', { object: 'response.input_tokens' }, 'provider_error', 'contains no count of tokens'],
    ['a count that is no number', { input_tokens: '9' }, 'provider_error', 'contains no count of tokens'],
    ['no object', '[9]', 'provider_error', 'ended early'],
    ['a lost end', '{"input_tokens":', 'provider_error', 'ended early'],
    [
      'an error',
      { error: { type: 'rate_limit_error', message: 'Slow down' } },
      'rate_limit_exceeded',
      'Slow down',
    ],
  ])('is an error with %s', async (_, body, code, message) => {
    expect(await countRefusal(openai, { responses: [{ body }] })).toEqual({
      error: expect.objectContaining({ code, message: expect.stringContaining(message) }),
      calls: 1,
    });
  });

  it('does not show the credential', async () => {
    const body = { input_tokens: 9, key: 'sk-secret' };
    const { response } = await countTokens(anthropic, { apiKey: 'sk-secret', responses: [{ body }] });
    expect(response.body).toBe('{"input_tokens":9,"key":"*********"}');

    const failed = { status: 400, body: { error: { message: 'Bad sk-secret' } } };
    expect(await countRefusal(openai, { apiKey: 'sk-secret', responses: [failed] })).toMatchObject({
      error: { message: 'Bad *********' },
    });
  });
});
