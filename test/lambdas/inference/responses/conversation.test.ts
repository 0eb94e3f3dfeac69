/** Continued responses: each organization reaches only what it has made, although all share the provider's account. */
import { PassThrough } from 'node:stream';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import {
  type NativeGateway,
  type NativeGateways,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import {
  controlledStream,
  jsonResponse,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import {
  exampleRequest,
  responseFields,
  responsesEvent,
  startResponsesGateway,
  startSharingGateway,
} from '#test/support/responses/gateway.ts';

let database: EmbeddedDynamoDB;
let gateways: NativeGateways;
/** The gateways of two organizations. */
let own: NativeGateway;
let foreign: NativeGateway;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  gateways = await startNativeGateways(database);
  own = await startResponsesGateway(gateways);
  foreign = await startSharingGateway(gateways, own, database.endpoint);
});
afterAll(async () => {
  await gateways.stop();
  await database.stop();
});

let made = 0;

/** Lets the organization make a response with unique ids, in either form. */
async function makeResponse(
  gateway: NativeGateway,
  {
    stream = false,
    request = {},
    ...fields
  }: { stream?: boolean; request?: object; [field: string]: unknown } = {},
) {
  made += 1;
  const ids = { response: `resp_${made}`, message: `msg_${made}`, reasoning: `rs_${made}` };
  const [message] = responseFields.output;
  const output = [
    { type: 'reasoning', id: ids.reasoning, summary: [] },
    { ...message, id: ids.message },
  ];
  const response = { ...responseFields, id: ids.response, output, ...fields };
  const created = { ...response, status: 'in_progress', output: [], usage: null };
  const respond = stream
    ? streamResponse([
        responsesEvent({ type: 'response.created', response: created }),
        responsesEvent({ type: 'response.completed', response }),
      ])
    : jsonResponse(response);
  const { status } = await gateway.exchange(respond, { ...exampleRequest, stream, ...request });
  expect(status).toBe(200);
  return ids;
}

/** Returns the status of a request that is forwarded. */
async function send(gateway: NativeGateway, fields: object): Promise<number> {
  const { status } = await gateway.exchange(jsonResponse(responseFields), { ...exampleRequest, ...fields });
  return status;
}

/** Returns the response to a request that is not forwarded. */
async function refuse(gateway: NativeGateway, fields: object): Promise<{ status: number; error: unknown }> {
  const forwarded = gateway.upstream.requests.length;
  const { status, text } = await gateway.handler.post({ ...exampleRequest, ...fields });
  expect(gateway.upstream.requests).toHaveLength(forwarded);
  return { status, error: JSON.parse(text).error };
}

const item = (fields: object) => ({ input: [fields, { role: 'user', content: 'Go on' }] });

describe.each([{ stream: false }, { stream: true }])('A stored response, with %j,', (form) => {
  it('is continued by its organization alone', async () => {
    const { response } = await makeResponse(own, form);

    const request = { previous_response_id: response };
    expect(await send(own, request)).toBe(200);
    expect(await refuse(foreign, request)).toMatchObject({
      status: 400,
      error: {
        type: 'invalid_request_error',
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        message: expect.stringContaining(`Previous response with id '${response}' not found`),
      },
    });
  });

  it.each<[string, (id: string) => object]>([
    ['a reference', (id) => item({ type: 'item_reference', id })],
    ['a reference without a type', (id) => item({ id })],
    ['a reference with the type null', (id) => item({ type: null, id })],
    ['a reference in another case', (id) => item({ Type: 'item_reference', ID: id })],
    ['a reference in a list that is given twice', (id) => ({ ...item({ id }), Input: [] })],
    ['reasoning without its content', (id) => item({ type: 'reasoning', id, summary: [] })],
    [
      'reasoning with empty content',
      (id) => item({ type: 'reasoning', id, summary: [], encrypted_content: '' }),
    ],
    ['an image without its data', (id) => item({ type: 'image_generation_call', id, result: null })],
    ['a compaction without its content', (id) => item({ type: 'compaction', id })],
    [
      'an approval of a call that is not in the request',
      (id) => item({ type: 'mcp_approval_response', approval_request_id: id, approve: true }),
    ],
  ])('has items that its organization alone can send by their ids: %s', async (_, toRequest) => {
    const { reasoning, message } = await makeResponse(own, form);

    expect(await send(own, toRequest(reasoning))).toBe(200);
    expect(await send(own, toRequest(message))).toBe(200);
    expect(await refuse(foreign, toRequest(reasoning))).toMatchObject({
      status: 404,
      error: { param: 'input', message: expect.stringContaining(`Item with id '${reasoning}' not found`) },
    });
  });
});

it('A response is compared with those of its organization alone', async () => {
  const { response } = await makeResponse(own);

  const request = { prompt_cache_options: { comparison_response_id: response } };
  expect(await send(own, request)).toBe(200);
  expect(await refuse(foreign, request)).toMatchObject({
    status: 400,
    error: { param: 'prompt_cache_options.comparison_response_id' },
  });
});

it('Items that are sent whole need no stored response', async () => {
  const status = await send(foreign, {
    input: [
      { type: 'message', role: 'assistant', id: 'msg_x', content: [{ type: 'output_text', text: 'Hi' }] },
      { type: 'reasoning', id: 'rs_x', summary: [], encrypted_content: 'abc' },
      { type: 'function_call', id: 'fc_x', call_id: 'call_x', name: 'f', arguments: '{}' },
      { type: 'mcp_approval_request', id: 'mcpr_x', name: 'f', arguments: '{}', server_label: 's' },
      { type: 'mcp_approval_response', id: 'mcpa_x', approval_request_id: 'mcpr_x', approve: true },
      { type: 'function_call_output', id: 'fco_x', call_id: 'call_x', output: '4' },
      { role: 'user', content: 'Hello' },
    ],
  });

  expect(status).toBe(200);
});

it.each([
  ['the request', { request: { store: false } }],
  ['the provider', { store: false }],
])('A response that is not stored, as %s says, cannot be continued', async (_, fields) => {
  const { response, message } = await makeResponse(own, fields);

  expect((await refuse(own, { previous_response_id: response })).status).toBe(400);
  expect((await refuse(own, item({ type: 'item_reference', id: message }))).status).toBe(404);
});

it.each([
  ['an id', (id: string) => id],
  ['an object', (id: string) => ({ id })],
])('A conversation belongs to the organization that uses it first, by %s', async (_, toValue) => {
  const id = `conv_${made}_${_}`;

  expect(await send(own, { conversation: toValue(id) })).toBe(200);
  expect(await send(own, { conversation: toValue(id) })).toBe(200);
  expect(await refuse(foreign, { conversation: toValue(id) })).toMatchObject({
    status: 404,
    error: {
      param: 'conversation',
      message: expect.stringContaining(`Conversation with id '${id}' not found`),
    },
  });
});

it('A container belongs to the organization whose response made it, whether that is stored or not', async () => {
  const call = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1', code: '1', outputs: [] };
  await makeResponse(own, { request: { store: false }, output: [call] });

  const byTool = { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] };
  const byShell = {
    tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } }],
  };
  for (const request of [byTool, byShell, item(call)]) {
    expect(await send(own, request)).toBe(200);
    expect(await refuse(foreign, request)).toMatchObject({
      status: 404,
      error: { message: expect.stringContaining("Container with id 'cntr_1' not found") },
    });
  }
});

it('An id that cannot be stored, for its length or its characters, is unknown', async () => {
  expect((await refuse(own, { previous_response_id: `resp_${'x'.repeat(5000)}` })).status).toBe(400);
  expect((await refuse(own, { previous_response_id: 'resp_\ud800' })).status).toBe(400);
  expect((await refuse(own, { conversation: 'x'.repeat(5000) })).status).toBe(404);
  expect((await refuse(own, { conversation: 'conv_\ud800' })).status).toBe(404);
});

it('More references than a conversation has are refused before they are looked up', async () => {
  const input = Array.from({ length: 2001 }, (_, index) => ({ type: 'item_reference', id: `msg_${index}` }));
  const calls = Array.from({ length: 21 }, (_, index) => ({
    type: 'code_interpreter_call',
    container_id: `cntr_${index}`,
  }));

  expect((await refuse(own, { input: calls })).error).toMatchObject({
    param: 'input',
    message: 'input must refer to at most 20 containers, not 21',
  });

  expect((await refuse(own, { input })).error).toMatchObject({
    param: 'input',
    message: 'input must refer to at most 2000 earlier items, not 2001',
  });
});

it('A provider that keeps nothing decides itself about the ids of a request', async () => {
  const groq = await startResponsesGateway(gateways, {
    settingsOf: (baseUrl) => ({ groq: { baseUrl } }),
    credentials: { groq: { api_key: 'gsk_1' } },
    dependencies: { loadConversationState: () => Promise.reject(new Error('No state is read or written')) },
  });
  const request = {
    model: 'groq/openai/gpt-oss-120b',
    previous_response_id: 'resp_x',
    conversation: 'conv_x',
  };

  expect(await send(groq, request)).toBe(200);
  expect(groq.handler.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('The final event is held until the response can be continued', async () => {
  const stored = Promise.withResolvers<void>();
  const late = await startResponsesGateway(gateways, {
    dependencies: {
      loadConversationState: async () => () => ({
        find: async () => [],
        claim: async () => null,
        setTokens: async () => {},
        add: () => stored.promise,
      }),
    },
  });
  const upstream = controlledStream({ headers: { 'content-type': 'text/event-stream' } });
  late.upstream.script(upstream.respond);
  const created = responsesEvent({ type: 'response.created', response: { ...responseFields, output: [] } });
  const completed = responsesEvent({ type: 'response.completed', response: responseFields });

  const call = late.handler.call(late.handler.event({ ...exampleRequest, stream: true }), new PassThrough());
  await upstream.write(created);
  const { body, invocation } = await call;
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  await upstream.write(completed);
  await upstream.end();
  const next = chunks.next();
  const winner = await Promise.race([
    next.then(() => 'event'),
    new Promise(setImmediate).then(() => 'nothing'),
  ]);
  stored.resolve();
  const last = await next;
  await invocation;

  expect(String(first.value)).toBe(created);
  expect(winner).toBe('nothing');
  expect(String(last.value)).toBe(completed);
});

it('A response whose ids cannot be recorded is still sent, and an unreadable state refuses to continue', async () => {
  const failing = await startResponsesGateway(gateways, {
    dependencies: {
      loadConversationState: async () => () => {
        const fail = () => Promise.reject(Object.assign(new Error('lost'), { $metadata: {} }));
        return { find: fail, claim: fail, setTokens: fail, add: fail };
      },
    },
  });

  expect(await send(failing, {})).toBe(200);
  expect(await refuse(failing, { previous_response_id: 'resp_1' })).toMatchObject({
    status: 503,
    error: { code: 'service_unavailable' },
  });
});

it('An item of the table has the organization, the tokens, and an expiry of 31 days', async () => {
  const { response, message } = await makeResponse(own);
  const { client, tableName } = {
    client: database.documentClient,
    tableName: own.handler.tables.conversationState,
  };
  const read = async (id: string) => {
    const command = new GetCommand({ TableName: tableName, Key: { state_id: `openai#${id}` } });
    return (await client.send(command)).Item;
  };

  const stored = await read(response);
  const nowSeconds = Date.now() / 1000;
  expect(stored).toEqual({
    state_id: `openai#${response}`,
    organization_id: own.handler.organizationId,
    response_id: response,
    tokens: 24,
    expires_at: expect.any(Number),
  });
  expect(Number(stored?.expires_at) - nowSeconds).toBeGreaterThan(30.99 * 86_400);
  expect(Number(stored?.expires_at) - nowSeconds).toBeLessThan(31.01 * 86_400);
  expect(await read(message)).toMatchObject({ response_id: response, tokens: 5 });
});

describe('A hard budget reserves for what the provider adds, which also counts for an interrupted request:', () => {
  type Ids = Awaited<ReturnType<typeof makeResponse>>;

  it.each<[string, (ids: Ids) => object, { added: number; own: number }]>([
    [
      'a response with all that precedes it',
      ({ response }) => ({ previous_response_id: response }),
      { added: 1_500_000, own: 2 },
    ],
    [
      'items, at most the output of their response',
      ({ message, reasoning }) => ({
        input: [
          { type: 'item_reference', id: message },
          { type: 'item_reference', id: reasoning },
        ],
      }),
      { added: 500_000, own: 0 },
    ],
    ['a conversation', () => ({ conversation: 'conv_long' }), { added: 1_500_000, own: 2 }],
  ])('%s', async (_, toRequest, tokens) => {
    const limited = await startResponsesGateway(gateways, { hardLimits: { key: { month: '500' } } });
    const usage = { input_tokens: 1_000_000, output_tokens: 500_000, total_tokens: 1_500_000 };
    const ids = await makeResponse(limited, { usage, request: { conversation: 'conv_long' } });
    const request = { ...exampleRequest, stream: true, ...toRequest(ids), max_output_tokens: 10 };
    const bytes = Buffer.byteLength(JSON.stringify(request));
    const cut = streamResponse([responsesEvent({ type: 'response.created' })], { ending: 'close' });

    const { entry } = await limited.exchange(cut, request);

    expect(entry).toMatchObject({ usage_source: 'estimated', input_tokens: tokens.added + tokens.own });
    // At the prices of the priority tier, 12.5 and 75 dollars per million.
    expect(entry.reserved_usd).toBe(String(((bytes + tokens.added) * 12.5 + 10 * 75) / 1e6));
  });
});
