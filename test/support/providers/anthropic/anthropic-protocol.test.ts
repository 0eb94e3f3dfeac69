import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../lambdas/shared/domain/json.ts';
import { fixturesOf } from '../fixture.ts';
import { eventData } from '../sse-events.ts';
import { type AnthropicUpstream, startAnthropicUpstream } from './anthropic-protocol.ts';

let upstream: AnthropicUpstream;

beforeEach(async () => {
  upstream = await startAnthropicUpstream();
});

afterEach(async () => {
  await upstream.stop();
});

const question = {
  model: 'claude-haiku-4-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'How deep is the sea?' }],
};
const weather = { name: 'weather', input_schema: { type: 'object' } };

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${upstream.baseUrl}/messages`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'sk-right',
      'anthropic-version': '2023-06-01',
      ...headers,
    },
  });
}

async function eventsOf(response: Response): Promise<JsonObject[]> {
  return eventData(await response.text()).map((data) => JSON.parse(data));
}

/** What the deltas of a stream hold under that name. */
function deltaPieces(events: JsonObject[], name: string): unknown[] {
  return events.flatMap(({ delta }) => (isJsonObject(delta) && name in delta ? [delta[name]] : []));
}

describe('the envelope of a request', () => {
  it.each([
    ['no key', '', 'x-api-key header is required'],
    ['another key than the expected', 'sk-wrong', 'invalid x-api-key'],
  ])('is refused with %s', async (_case, key, message) => {
    upstream.behaviour = { expectedApiKey: 'sk-right' };
    const headers = new Headers({ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' });
    if (key !== '') headers.set('x-api-key', key);

    const response = await fetch(`${upstream.baseUrl}/messages`, { method: 'POST', body: '{}', headers });

    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'authentication_error', message },
      request_id: response.headers.get('request-id'),
    });
  });

  it.each([
    ['anthropic-version', '2022-01-01', 'anthropic-version: "2022-01-01" is not a valid version'],
    ['content-type', 'text/plain', 'content-type: must be application/json'],
  ])('is refused with a wrong %s', async (name, value, message) => {
    const response = await post(question, { [name]: value });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', message } });
  });

  it('is refused when the body is no JSON', async () => {
    const response = await post('{');

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: 'The request body is not valid JSON.' },
    });
  });

  it.each(['claude-unheard-of', 'gpt-4o'])('is refused for the model %s, which it has not', async (model) => {
    upstream.behaviour = { unknownModels: ['claude-unheard-of'] };

    const response = await post({ ...question, model });

    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { type: 'not_found_error', message: `model: ${model}` },
    });
  });
});

describe('without a fixture the upstream', () => {
  it('answers with text', async () => {
    const response = await post(question);

    expect(response.headers.get('request-id')).toBe('req_00000000000000000000000000000001');
    expect(response.headers.get('anthropic-ratelimit-requests-limit')).toBe('4000');
    expect(await response.json()).toMatchObject({
      id: 'msg_00000000000000000000000000000001',
      model: 'claude-haiku-4-5-20251001',
      content: [{ type: 'text', text: 'Hello there, I am here.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 19, output_tokens: 5 },
    });
  });

  it('names each event of a stream by its type', async () => {
    const response = await post({ ...question, stream: true });

    const text = await response.text();
    const named = [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)];
    expect(named.map(([, name]) => name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      ...Array(5).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(named.every(([, name, data]) => JSON.parse(data ?? '').type === name)).toBe(true);
  });

  it('repeats the last user turn when it is told to, one piece a word', async () => {
    upstream.behaviour = { echo: true };

    const events = await eventsOf(await post({ ...question, stream: true }));

    expect(deltaPieces(events, 'text')).toEqual(['You', ' said:', ' How', ' deep', ' is', ' the', ' sea?']);
  });

  it('calls the first tool, its arguments in pieces of which the first is empty', async () => {
    const asked = { ...question, tools: [weather] };

    const plain = await (await post(asked)).json();
    const events = await eventsOf(await post({ ...asked, stream: true }));

    expect(plain).toMatchObject({
      content: [{ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }],
      stop_reason: 'tool_use',
    });
    expect(deltaPieces(events, 'partial_json')).toEqual(['', '{"city":', '"Oslo"}']);
  });

  it('answers with text once the tool has its result, or must not be called', async () => {
    const messages = [
      ...question.messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '4 °C' }] },
    ];

    for (const difference of [{ messages }, { tool_choice: { type: 'none' } }]) {
      const response = await post({ ...question, tools: [weather], ...difference });
      expect(await response.json()).toMatchObject({ content: [{ type: 'text' }], stop_reason: 'end_turn' });
    }
  });

  it('answers in JSON by a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    };

    const response = await post({
      ...question,
      output_config: { format: { type: 'json_schema', schema } },
    });

    expect(await response.json()).toMatchObject({ content: [{ text: '{"city":"text","degrees":1}' }] });
  });
});

describe('a fixture', () => {
  it.each([...fixturesOf('anthropic')])('is replayed plain and streamed: %s', async (_scene, fixture) => {
    upstream.behaviour = { fixture };
    const { plain, stream } = fixture;

    if (plain !== null) {
      const response = await post(question);
      expect(response.status).toBe(plain.status);
      expect(response.headers.get('request-id')).toBe(plain.headers['request-id']);
      expect(await response.json()).toEqual(plain.body);
    }
    if (stream !== null && 'events' in stream && !stream.cut) {
      const response = await post({ ...question, stream: true });
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(await eventsOf(response)).toEqual(stream.events);
    }
  });

  it('can be cut off', async () => {
    upstream.behaviour = { fixture: fixturesOf('anthropic').get('cut') };

    const response = await post({ ...question, stream: true });

    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('comes after the checks', async () => {
    upstream.behaviour = { fixture: fixturesOf('anthropic').get('text') };

    expect((await post({ ...question, max_tokens: undefined })).status).toBe(400);
  });
});
