/** Responses to embeddings requests, compared with the description of the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoUpstream, demoProvider, startDemoUpstream } from '#local/providers/demo/upstream.ts';
import { type ChatHandlerFixture, createChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { findUndocumented } from '#test/support/openapi.ts';

const path = '/ai/embeddings';
const model = `${demoProvider}/demo-embedding`;

let database: EmbeddedDynamoDB;
let upstream: DemoUpstream;
let gateway: ChatHandlerFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  upstream = await startDemoUpstream();
  gateway = await createChatHandlerFixture({ database, settings: { [demoProvider]: upstream.settings } });
});
afterAll(async () => {
  await upstream.stop();
  await database.stop();
});

async function post(body: object, headers = {}) {
  const call = await gateway.call({ ...gateway.event(body, headers), rawPath: path });
  const text = (await call.body.toArray()).join('');
  await call.invocation;
  return { status: call.status, headers: call.headers, text };
}

describe('POST /ai/embeddings', () => {
  it.each<[number, string, object, object]>([
    [200, 'a text', { model, input: 'Hello!' }, {}],
    [200, 'texts in base64', { model, input: ['a', 'b'], encoding_format: 'base64', dimensions: 8 }, {}],
    [400, 'an empty input', { model, input: [] }, {}],
    [400, 'an unknown provider', { model: 'nosuch/embed', input: 'x' }, {}],
    [400, 'a provider without embeddings', { model: 'anthropic/claude-opus-5', input: 'x' }, {}],
    [400, 'a provider without a credential', { model: 'openai/text-embedding-3-small', input: 'x' }, {}],
    [400, 'a header that is too long', { model, input: 'x' }, { 'gateway-user-id': 'u'.repeat(257) }],
    [401, 'a wrong key', { model, input: 'x' }, { authorization: 'Bearer pt_live_no' }],
    [415, 'a compressed body', { model, input: 'x' }, { 'content-encoding': 'gzip' }],
  ])('answers as described, with %i, for %s', async (status, _case, body, headers) => {
    const response = await post(body, headers);

    expect([response.status, findUndocumented(path, response)]).toEqual([status, []]);
  });
});
