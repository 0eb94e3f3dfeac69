import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { functionUrlEvent } from '#test/support/chat-harness.ts';

describe("GET /ai/models on the chat function's own URL", () => {
  let bench: ChatFixture;
  beforeAll(async () => {
    bench = await startChatFixture();
  });
  afterAll(() => bench.stop());

  const ask = async (path: string, { method = 'GET', headers = {} } = {}) => {
    const { gateway } = await bench.setUp();
    const call = await gateway.call({
      ...gateway.event('', headers),
      rawPath: path,
      requestContext: {
        ...functionUrlEvent.requestContext,
        http: { ...functionUrlEvent.requestContext.http, method, path },
      },
    });
    const body = JSON.parse(await text(call.body));
    await call.invocation;
    return { status: call.status, headers: call.headers, body, entries: await gateway.entries() };
  };

  it('lists the models, and leaves no entry in the log', async () => {
    const answer = await ask('/ai/models');

    expect(answer).toMatchObject({ status: 200, body: { object: 'list' }, entries: [] });
    expect(answer.headers).toEqual({ 'content-type': 'application/json' });
    expect(answer.body.data).toContainEqual({
      id: 'openai/gpt-6-sol',
      object: 'model',
      created: 0,
      owned_by: 'openai',
    });
  });

  it('finds one by its id', async () => {
    const { status, body } = await ask('/ai/models/openai%2Fgpt-6-sol');

    expect([status, body.id]).toEqual([200, 'openai/gpt-6-sol']);
  });

  it.each([
    ['/ai/models/openai/nosuch', {}, 404, 'model_not_found'],
    ['/ai/models/', {}, 404, 'not_found'],
    ['/ai/modelsx', {}, 404, 'not_found'],
    ['/ai/models', { method: 'POST' }, 405, 'method_not_allowed'],
    ['/ai/models/openai/gpt-6-sol', { method: 'DELETE' }, 405, 'method_not_allowed'],
    ['/ai/models', { headers: { authorization: 'Bearer pt_live_no' } }, 401, 'invalid_api_key'],
  ])('refuses %s %j with %i', async (path, request, status, code) => {
    const answer = await ask(path, request);

    expect([answer.status, answer.body.error.code, answer.entries]).toEqual([status, code, []]);
    if (status === 405) expect(answer.headers.allow).toBe('GET');
  });
});
