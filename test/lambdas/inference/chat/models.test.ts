import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { functionUrlEvent } from '#test/support/chat/handler-fixture.ts';

describe("GET /ai/models on the chat function's URL", () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  const get = async (path: string, { method = 'GET', headers = {}, query = '' } = {}) => {
    const { gateway } = await fixture.setUp();
    const call = await gateway.call({
      ...gateway.event('', headers),
      rawPath: path,
      rawQueryString: query,
      requestContext: {
        ...functionUrlEvent.requestContext,
        http: { ...functionUrlEvent.requestContext.http, method, path },
      },
    });
    const body = JSON.parse(await text(call.body));
    await call.invocation;
    return { status: call.status, headers: call.headers, body, entries: await gateway.entries() };
  };

  it('lists the models without a log entry', async () => {
    const response = await get('/ai/models');

    expect(response).toMatchObject({ status: 200, body: { object: 'list' }, entries: [] });
    expect(response.headers).toEqual({ 'content-type': 'application/json' });
    expect(response.body.data).toContainEqual({
      id: 'openai/gpt-6-sol',
      object: 'model',
      created: 0,
      owned_by: 'openai',
      operations: ['chat.completions', 'messages', 'responses'],
    });
  });

  it.each(['/ai/models/', '/ai/v1/models', '/ai/v1/models/'])('lists the models at %s too', async (path) => {
    expect(await get(path)).toMatchObject({ status: 200, body: { object: 'list' } });
  });

  it.each(['/ai/models/openai%2Fgpt-6-sol', '/ai/v1/models/openai/gpt-6-sol/'])(
    'returns a model by its id: %s',
    async (path) => {
      const { status, body } = await get(path);

      expect([status, body.id]).toEqual([200, 'openai/gpt-6-sol']);
    },
  );

  const anthropicHeaders = { 'anthropic-version': '2023-06-01' };

  it("lists a page of models in Anthropic's format for its clients", async () => {
    const response = await get('/ai/v1/models', { headers: anthropicHeaders, query: 'limit=1&beta=true' });

    const id = 'mistral/codestral-2508';
    expect(response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: {
        data: [{ type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }],
        has_more: true,
        first_id: id,
        last_id: id,
      },
      entries: [],
    });
  });

  it.each<[string, { headers?: Record<string, string>; method?: string; query?: string }, number, string]>([
    ['/ai/models/anthropic/nosuch', {}, 404, 'not_found_error'],
    ['/ai/models', { query: 'limit=0' }, 400, 'invalid_request_error'],
    ['/ai/models', { method: 'POST' }, 405, 'invalid_request_error'],
    ['/ai/models', { headers: { authorization: 'Bearer pt_live_no' } }, 401, 'authentication_error'],
  ])(
    "rejects %s %j of Anthropic's clients with %i",
    async (path, { headers = {}, ...request }, status, type) => {
      const response = await get(path, { ...request, headers: { ...anthropicHeaders, ...headers } });

      expect([response.status, response.body, response.entries]).toEqual([
        status,
        { type: 'error', error: { type, message: expect.any(String) }, request_id: null },
        [],
      ]);
    },
  );

  it.each([
    ['/ai/models/openai/nosuch', {}, 404, 'model_not_found'],
    ['/ai/models/openai/', {}, 404, 'model_not_found'],
    ['/ai/v1', {}, 404, 'not_found'],
    ['/ai/v1/ai/models', {}, 404, 'not_found'],
    ['/ai/modelsx', {}, 404, 'not_found'],
    ['/ai/models', { method: 'POST' }, 405, 'method_not_allowed'],
    ['/ai/models/openai/gpt-6-sol', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['/ai/models', { headers: { authorization: 'Bearer pt_live_no' } }, 401, 'invalid_api_key'],
  ])('rejects %s %j with %i', async (path, request, status, code) => {
    const response = await get(path, request);

    expect([response.status, response.body.error.code, response.entries]).toEqual([status, code, []]);
    if (status === 405) expect(response.headers.allow).toBe('GET');
  });
});
