/** Tests the fakes of OpenAI's and Azure's Responses API, and the validation of what they send. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { loadForwardedFixtures } from '#test/support/providers/fixture.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import type { Upstream } from '#test/support/providers/upstream.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { startDialectUpstream } from '../dialects.ts';
import { startOpenAIUpstream } from '../upstream.ts';
import type { ResponsesBehaviour } from './endpoint.ts';
import type { Item, Turn } from './turns.ts';

let openai: Upstream<ResponsesBehaviour>;
let azure: Upstream<ResponsesBehaviour>;
beforeAll(async () => {
  openai = await startOpenAIUpstream({ expectedApiKey: 'sk-1' });
  azure = await startDialectUpstream('azure', { expectedApiKey: 'sk-1' });
});
afterAll(async () => {
  await Promise.all([openai.stop(), azure.stop()]);
});

async function post(upstream: Upstream<ResponsesBehaviour>, body: object | string, headers = {}) {
  const response = await fetch(`${upstream.baseUrl}/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-1', 'api-key': 'sk-1', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function create(fields: object, turn?: Turn, upstream = openai) {
  upstream.behaviour.nextResponse = () => turn;
  const { status, text, headers } = await post(upstream, { model: 'gpt-5.4', input: 'Hi', ...fields });
  const body: unknown = fields && 'stream' in fields ? null : JSON.parse(text);
  return { status, text, headers, body: isJsonObject(body) ? body : {} };
}

function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\d{32,}|gAAAAA[\w-]+/g, ''));
}

const call = (call_id: string, json = '{"city":"Oslo"}'): Item => ({
  type: 'function_call',
  call_id,
  name: 'weather',
  arguments: json,
});
const citation = {
  type: 'url_citation',
  start_index: 0,
  end_index: 4,
  url: 'https://example.com/',
  title: 'An example',
};
const turns: Record<string, Turn> = {
  text: {
    items: [{ type: 'message', text: 'Grüße 🙂\nfrom Oslo, which is here.' }],
    usage: { input: 19, output: 5 },
  },
  'text with citations': {
    items: [{ type: 'message', text: 'Oslo is here.', annotations: [citation], phase: 'final_answer' }],
    usage: { input: 19, output: 5 },
  },
  'no text': { items: [{ type: 'message', text: '' }], usage: { input: 19, output: 0 } },
  'reasoning and parallel calls': {
    items: [{ type: 'reasoning', summary: 'Two cities, two calls.' }, call('call_1'), call('call_2', '{}')],
    usage: { input: 19, output: 35, cached: 7, cacheWrite: 3, reasoning: 20 },
  },
  'a call of a custom tool': {
    items: [
      {
        type: 'custom_tool_call',
        call_id: 'call_1',
        name: 'apply_patch',
        input: '*** Begin Patch\n',
        namespace: 'functions',
      },
    ],
    usage: { input: 19, output: 5 },
  },
  'a compaction': { items: [{ type: 'compaction' }], usage: { input: 21_944, output: 600 } },
  'hosted tools': {
    items: [
      { type: 'web_search_call', query: 'weather in Oslo' },
      { type: 'file_search_call', queries: ['rain'] },
      { type: 'code_interpreter_call', container_id: 'container_1', code: 'print(9)', logs: '9\n' },
      { type: 'message', text: 'It rains.' },
    ],
    usage: { input: 19, output: 5 },
  },
  'a refusal': {
    items: [{ type: 'refusal', refusal: 'I cannot help with that.' }],
    usage: { input: 19, output: 5 },
  },
  'an incomplete text': {
    items: [{ type: 'message', text: 'Oslo is' }],
    usage: { input: 19, output: 16 },
    incomplete: 'max_output_tokens',
  },
  'a failure': {
    items: [{ type: 'message', text: 'Oslo is' }],
    usage: { input: 19, output: 5 },
    failure: { type: 'server_error', code: 'server_error', message: 'The server had an error.' },
  },
};

describe('The fake Responses API', () => {
  it.each(Object.entries(turns))('sends %s in OpenAI’s format', async (_name, turn) => {
    const include = ['reasoning.encrypted_content'];
    const whole = await create({ include }, turn);
    const streamed = await create({ include, stream: true }, turn);

    expect(whole.status).toBe(200);
    expect(responseProblems(whole.body)).toEqual([]);
    expect(streamProblems(streamed.text)).toEqual([]);
    const events: JsonObject[] = eventData(streamed.text).map((data) => JSON.parse(data));
    expect(events.at(-1)?.type).toBe(`response.${whole.body.status}`);
    expect(withoutIds(events.at(-1)?.response)).toEqual(withoutIds(whole.body));
  });

  it('sends each field that OpenAI’s servers send, and the request’s values', async () => {
    const fields = {
      metadata: { team: 'blue' },
      tools: [{ type: 'web_search' }],
      service_tier: 'flex',
      user: 'ann',
    };
    const { body, headers } = await create(fields, turns.text);

    expect(Object.keys(body)).toHaveLength(35);
    expect(body).toMatchObject({
      ...fields,
      model: 'gpt-5.4-2026-03-05',
      store: true,
      completed_at: 1_767_225_601,
    });
    expect(headers.get('x-request-id')).toMatch(/^req_0+\d+$/);
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('has the filters of Azure, and its name of the model', async () => {
    const { body, text } = await create({}, turns.text, azure);

    expect(body.model).toBe('gpt-5.4');
    expect(text).toContain('"content_filters"');
    expect(responseProblems(body)).toEqual([]);
  });

  it('keeps responses and their items, unless the request says otherwise', async () => {
    const { body: first } = await create({}, turns['reasoning and parallel calls']);
    const output = Array.isArray(first.output) ? first.output : [];
    const results = ['call_1', 'call_2'].map((call_id) => ({
      type: 'function_call_output',
      call_id,
      output: 'Rain',
    }));

    const continued = await create({ previous_response_id: first.id, input: results }, turns.text);
    const references = output.map(({ id }) => ({ type: 'item_reference', id }));
    const referred = await create({ input: [...references, ...results], store: false }, turns.text);
    const unknown = await create({ previous_response_id: referred.body.id });

    expect([continued.status, referred.status, unknown.status]).toEqual([200, 200, 400]);
  });

  it('takes back the reasoning that it has encrypted, without keeping it', async () => {
    const fields = { include: ['reasoning.encrypted_content'], store: false };
    const { body } = await create(fields, turns['reasoning and parallel calls']);
    const [reasoning, ...calls] = Array.isArray(body.output) ? body.output : [];
    const rest = [
      ...calls,
      ...calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '' })),
    ];
    const send = (encrypted_content: unknown) =>
      create({ input: [{ ...reasoning, encrypted_content }, ...rest] }, turns.text);

    expect((await send(reasoning.encrypted_content)).status).toBe(200);
    expect((await send(null)).body.error).toMatchObject({
      message: expect.stringContaining('not found. Items are'),
    });
    expect((await send('gAAAAA-of-another-account')).body.error).toMatchObject({
      code: 'invalid_encrypted_content',
    });
  });

  const user = { role: 'user', content: 'Hi' };
  const functionCall = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_2', output: '' };
  it.each<[fields: object, code: string | null, message: string]>([
    [{ no_such_parameter: 1 }, 'unknown_parameter', "Unknown parameter: 'no_such_parameter'."],
    [
      { stream: true, stream_options: { include_usage: true } },
      'unknown_parameter',
      "Unknown parameter: 'stream_options.include_usage'.",
    ],
    [{ model: undefined }, 'missing_required_parameter', "Missing required parameter: 'model'."],
    [
      { input: undefined },
      'missing_required_parameter',
      'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.',
    ],
    [
      { input: 7 },
      'invalid_type',
      "Invalid type for 'input': expected one of a string or array of input items, but got a number instead.",
    ],
    [
      { max_output_tokens: 1 },
      'integer_below_min_value',
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
    ],
    [
      { input: [{ ...user, id: 'rs_1' }] },
      'invalid_value',
      "Invalid 'input[0].id': 'rs_1'. Expected an ID that begins with 'msg'.",
    ],
    [
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }] },
      'invalid_value',
      "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
    ],
    [
      { input: [{ role: 'user' }] },
      'missing_required_parameter',
      "Missing required parameter: 'input[0].content'.",
    ],
    [
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      'missing_required_parameter',
      "Missing required parameter: 'tools[0].name'.",
    ],
    [{ input: [functionCall, user] }, null, 'No tool output found for function call call_1.'],
    [{ input: [user, output] }, null, 'No tool call found for function call output with call_id call_2.'],
    [
      { input: [user, { type: 'custom_tool_call', call_id: 'call_3', name: 'f', input: '' }] },
      null,
      'No tool output found for custom tool call call_3.',
    ],
    [
      { previous_response_id: 'resp_1' },
      'previous_response_not_found',
      "Previous response with id 'resp_1' not found.",
    ],
    [
      { previous_response_id: 'resp_1', conversation: 'a-conversation' },
      'mutually_exclusive_parameters',
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
    ],
    [{ model: 'no-such-model' }, 'model_not_found', "The requested model 'no-such-model' does not exist."],
  ])('refuses %o', async (fields, code, message) => {
    const { status, text } = await create(fields);

    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatchObject({ message, code, type: 'invalid_request_error' });
  });

  it('refuses an unknown item with 404, and another key with 401', async () => {
    const item = await create({ input: [{ type: 'item_reference', id: 'msg_1' }] });
    const { status, text } = await post(openai, {}, { authorization: 'Bearer sk-2' });

    expect([item.status, item.body.error]).toEqual([
      404,
      {
        type: 'invalid_request_error',
        message:
          "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
        param: 'input',
        code: null,
      },
    ]);
    expect([status, JSON.parse(text).error.code]).toEqual([401, 'invalid_api_key']);
  });

  it('sends scripted errors with their headers', async () => {
    const error = { message: 'Slow down', type: 'tokens', param: null, code: 'rate_limit_exceeded' };
    const { status, headers, body } = await create(
      {},
      { status: 429, error, headers: { 'retry-after-ms': '20' } },
    );

    expect([status, headers.get('retry-after-ms'), body]).toEqual([429, '20', { error }]);
  });
});

/** The published fields of the usage are newer than the other recordings. */
const recorded = [...loadForwardedFixtures('openai')].flatMap(([name, { plain }]) =>
  JSON.stringify(plain?.body)?.includes('"cache_write_tokens":') ? [{ name, body: plain?.body }] : [],
);

describe('The validation of responses', () => {
  it('has recordings', () => expect(recorded.length).toBeGreaterThan(8));

  it.each(recorded)('accepts a response of OpenAI: $name', ({ body }) => {
    expect(responseProblems(body)).toEqual([]);
  });
});

describe('The validation of streams', () => {
  it.each<[problem: string, from: string | RegExp, to: string]>([
    ['an event has no data, or another name than type', 'event: response.created', 'event: response.create'],
    ['sequence numbers do not count from 0', '"sequence_number":4', '"sequence_number":5'],
    ['the stream does not begin with created and in_progress', /event: response.in_progress\n.+\n\n/, ''],
    ['the last event is no end', /event: response.completed\n.+\n\n/, ''],
    ['the final output differs from the finished items', /"output":\[\{"id":"msg/, '"output":[{"id":"msx'],
    ['more than one item is open', /event: response.output_item.done\n.+\n\n/, ''],
    [
      "3 response.content_part.added: /part must have required property 'annotations'",
      '"annotations":[],',
      '',
    ],
    [
      '4 response.text.delta:  value of tag "type" must be in oneOf',
      /response\.output_text\.delta/g,
      'response.text.delta',
    ],
    ['/response/usage must be an object', /"usage":\{.+?\}.+?\}.+?\}/, '"usage":null'],
  ])('finds that %s', async (problem, from, to) => {
    const { text } = await create({ stream: true }, turns.text);

    expect(streamProblems(text)).toEqual([]);
    expect(streamProblems(text.replace(from, to)).join('\n')).toContain(problem.replace('/response', ''));
  });
});
