import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoUpstream, startDemoUpstream } from '#local/providers/demo/upstream.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';

let upstream: DemoUpstream;
let client: OpenAI;

beforeAll(async () => {
  upstream = await startDemoUpstream();
  client = new OpenAI({ baseURL: upstream.settings.baseUrl, apiKey: 'any', maxRetries: 0 });
});

afterAll(() => upstream.stop());

const question = { model: 'demo-1', messages: [{ role: 'user' as const, content: 'Hello!' }] };
const usage = { prompt_tokens: 9, completion_tokens: 28, total_tokens: 37 };

describe('startDemoUpstream', () => {
  it('returns a completion', async () => {
    const { data, request_id } = await client.chat.completions.create(question).withResponse();

    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'demo-1',
      usage: { total_tokens: expect.any(Number) },
    });
    expect(data.choices[0]?.message.content).toMatch(/^Hello from the local demo: you sent 1 message\./);
    expect(data.choices[0]?.finish_reason).toBe('stop');
  });

  it.each([
    ['with usage when stream_options requests it', { include_usage: true }, 1],
    ['without usage by default', undefined, 0],
  ])('streams the same completion %s', async (_, stream_options, usages) => {
    const stream = await client.chat.completions.create({ ...question, stream: true, stream_options });
    let content = '';
    const reportedUsages: unknown[] = [];
    for await (const chunk of stream) {
      content += chunk.choices[0]?.delta.content ?? '';
      if (chunk.usage) reportedUsages.push(chunk.usage);
    }

    expect(content).toMatch(/^Hello from the local demo: you sent 1 message\..*real answers\.$/);
    expect(reportedUsages).toHaveLength(usages);
  });

  it('estimates tokens from the length of the text', async () => {
    const { usage: counted } = await client.chat.completions.create(question);

    expect(counted).toEqual(usage);
  });

  it('returns a message of Anthropic, whole and streamed, and counts the tokens of a request', async () => {
    const anthropic = new Anthropic({
      baseURL: upstream.settings.baseUrl?.replace('/v1', '') ?? null,
      apiKey: 'any',
      maxRetries: 0,
    });
    const request = { ...question, max_tokens: 100 };

    const whole = await anthropic.messages.create(request);
    const streamed = await anthropic.messages.stream(request).finalMessage();
    const counted = await anthropic.messages.countTokens(question);

    expect(whole).toMatchObject({
      type: 'message',
      model: 'demo-1',
      content: [
        { type: 'text', text: expect.stringMatching(/^Hello from the local demo: you sent 1 message\./) },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 28 },
    });
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.usage).toMatchObject({ input_tokens: 9, output_tokens: 28 });
    expect(counted).toEqual({ input_tokens: 9 });
  });

  it('returns a response of OpenAI, whole and streamed', async () => {
    const request = { model: 'demo-1', input: 'Hello!' };

    const { data: whole, request_id } = await client.responses.create(request).withResponse();
    const events = await collect(await client.responses.create({ ...request, stream: true }));

    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(whole).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'demo-1',
      output_text: expect.stringMatching(/^Hello from the local demo: you sent 1 message\./),
      usage: { input_tokens: 3, output_tokens: 28, total_tokens: 31 },
    });
    expect(Object.keys(whole).filter((name) => name !== 'output_text')).toEqual(
      expect.arrayContaining(requiredFields),
    );
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta').length;
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      ...Array(deltas).fill('response.output_text.delta'),
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(deltas).toBeGreaterThan(10);
    const [first, last] = [events[0], events.at(-1)];
    if (first?.type !== 'response.created' || last?.type !== 'response.completed') throw new Error('No end');
    expect(Object.keys(first.response)).toEqual(Object.keys(last.response));
    expect(first.response).toMatchObject({
      status: 'in_progress',
      output: [],
      usage: null,
      completed_at: null,
    });
    const text = events
      .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
    expect([text, done, last.response.usage]).toEqual([whole.output_text, last.response.output, whole.usage]);
  });

  it.each([
    ['a text', {}],
    ['a call', { tool_choice: 'required' }],
  ])("returns %s with the fields and events of OpenAI's schema", async (_, fields) => {
    const tools = [
      { type: 'function', name: 'weather', parameters: {} },
      { type: 'custom', name: 'shell' },
    ];
    const send = (stream: boolean) =>
      fetch(`${upstream.settings.baseUrl}/responses`, {
        method: 'POST',
        body: JSON.stringify({ model: 'demo-1', input: 'Hello!', tools, stream, ...fields }),
      });

    expect(responseProblems(await (await send(false)).json())).toEqual([]);
    expect(streamProblems(await (await send(true)).text())).toEqual([]);
  });

  it('calls a function that tool_choice requires, until the input ends with a result', async () => {
    const tools: OpenAI.Responses.FunctionTool[] = ['weather', 'time'].map((name) => ({
      type: 'function',
      name,
      parameters: null,
      strict: null,
    }));
    const call = {
      id: expect.stringMatching(/^fc_/),
      type: 'function_call',
      status: 'completed',
      arguments: '{}',
      call_id: expect.stringMatching(/^call_/),
    };
    const send = async (fields: Partial<OpenAI.Responses.ResponseCreateParamsStreaming>) => {
      const request = { model: 'demo-1', input: 'Hello!', tools, ...fields, stream: true } as const;
      const events = await collect(await client.responses.create(request));
      const last = events.at(-1);
      if (last?.type !== 'response.completed') throw new Error('No end');
      return { types: events.map(({ type }) => type), output: last.response.output };
    };

    const required = await send({ tool_choice: 'required' });
    const named = await send({ tool_choice: { type: 'function', name: 'time' } });
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'Rain' } as const;
    const continued = await send({ tool_choice: 'required', input: [result] });
    const free = await send({});

    expect([required.output, named.output]).toEqual([
      [{ ...call, name: 'weather' }],
      [{ ...call, name: 'time' }],
    ]);
    expect(required.types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect([continued, free].map(({ output }) => output[0]?.type)).toEqual(['message', 'message']);
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** By the schemas of OpenAI and of Open Responses together. */
const requiredFields = [
  ...['id', 'object', 'created_at', 'completed_at', 'status', 'background', 'error', 'incomplete_details'],
  ...['model', 'previous_response_id', 'instructions', 'output', 'usage', 'reasoning', 'text', 'truncation'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'max_tool_calls', 'max_output_tokens', 'temperature'],
  ...['top_p', 'top_logprobs', 'presence_penalty', 'frequency_penalty', 'service_tier', 'store', 'metadata'],
  ...['safety_identifier', 'prompt_cache_key', 'user'],
];
