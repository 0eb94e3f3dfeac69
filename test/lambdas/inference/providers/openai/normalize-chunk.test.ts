import { describe, expect, it } from 'vitest';
import { createOpenAiReader } from '#lambdas/inference/providers/openai/response.ts';
import { responseOrigin } from '#test/support/providers/openai/origin.ts';
import { exampleRequestId, providerCall } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const identity = { id: 'c', object: 'chat.completion.chunk', created: 1767225600, model: 'm' };

function read(
  chunks: readonly (object | string)[],
  { includeUsage = false, reportedCost = null as 'cost' | null } = {},
) {
  const tools = ['f', 'g', 'long_name'].map((name) => ({ type: 'function', function: { name } }));
  const call = providerCall(
    { stream: true, stream_options: { include_usage: includeUsage }, tools },
    { model: 'm' },
  );
  const reader = createOpenAiReader(responseOrigin('some', { reportedCost }), call, call.request.loadWriter);
  const bytes = chunks.map(
    (chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  const text = Buffer.concat([reader.push(Buffer.from(bytes.join(''))), reader.end()]).toString();
  const events = eventData(text);
  return {
    text,
    events,
    chunks: events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data)),
    facts: reader.facts,
  };
}

const choicesOf = (...chunks: readonly (object | string)[]) =>
  read(chunks).chunks.map(({ choices }) => choices);
const chunk = (choice: object, rest: object = {}) => ({ ...identity, choices: [choice], ...rest });
const choice = (delta: object, finish_reason: string | null = null) => ({ index: 0, delta, finish_reason });
const opening = chunk(choice({ role: 'assistant', content: '' }));
const stop = chunk(choice({}, 'stop'));

describe('Stream chunks in OpenAI format', () => {
  it('passes valid chunks through unchanged', () => {
    const unusuallyFormatted =
      '{ "id":"c" ,"object":"chat.completion.chunk", "created":1767225600,"model":"m","choices":[{"index":0,"delta":{"content":"\\u00e9"},"finish_reason":null}],"x":1.0}';
    const { text } = read([opening, unusuallyFormatted, unusuallyFormatted, stop, '[DONE]']);

    expect(text).toBe(
      `data: ${JSON.stringify(opening)}\n\ndata: ${unusuallyFormatted}\n\ndata: ${unusuallyFormatted}\n\ndata: ${JSON.stringify(stop)}\n\ndata: [DONE]\n\n`,
    );
  });

  it('preserves the digits of numbers in a normalized chunk', () => {
    const { events } = read([
      opening,
      '{"choices":[{"delta":{"content":"Hi"}}],"cost":1.0,"big":9007199254740993,"small":2.05e-05}',
    ]);

    expect(events[1]).toBe(
      '{"choices":[{"delta":{"content":"Hi"},"index":0,"finish_reason":null}],"cost":1.0,"big":9007199254740993,"small":2.05e-05,"id":"c","created":1767225600,"model":"m","object":"chat.completion.chunk"}',
    );
  });

  it('sends id, created and model of the first chunk in every chunk', () => {
    const { chunks } = read([
      opening,
      { ...chunk(choice({ content: 'Hi' })), id: 'd', created: 1767225601, model: 'n' },
    ]);

    expect(chunks[1]).toEqual(chunk(choice({ content: 'Hi' })));
  });

  it('adds id, created, model and object when the provider sends none', () => {
    const { chunks } = read([
      { choices: [choice({ content: 'Hi' })] },
      { id: '', object: '', created: 0, model: '', choices: [choice({}, 'stop')] },
    ]);

    const generated = {
      id: `chatcmpl-${exampleRequestId}`,
      created: 1795132800,
      model: 'm',
      object: 'chat.completion.chunk',
    };
    expect(chunks).toEqual([
      { ...generated, choices: [choice({ role: 'assistant', content: 'Hi' })] },
      { ...generated, choices: [choice({}, 'stop')] },
    ]);
  });

  it('holds back a leading chunk without identity until the identity is known', () => {
    const leading = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [] };
    const { chunks, facts } = read([leading]);
    expect([chunks, facts.started]).toEqual([[], false]);

    expect(read([leading, opening]).chunks).toEqual([{ ...leading, ...identity }, opening]);
  });

  it('does not take the identity from a chunk without one', () => {
    const { chunks } = read(['{}', '{"type":"ping"}', opening, stop]);
    expect(chunks).toEqual([
      { ...identity, choices: [] },
      { type: 'ping', ...identity, choices: [] },
      opening,
      stop,
    ]);
  });

  it('replaces null choices with an empty array', () => {
    expect(read([opening, { ...identity, choices: null, x: 1 }]).chunks[1]).toEqual({
      ...identity,
      choices: [],
      x: 1,
    });
  });

  it('replaces an unknown service tier with null', () => {
    expect(read([{ ...opening, service_tier: 'on_demand' }]).chunks).toEqual([
      { ...opening, service_tier: null },
    ]);
    expect(read([{ ...opening, service_tier: 'flex' }]).chunks).toEqual([
      { ...opening, service_tier: 'flex' },
    ]);
  });
});

describe('Stream choices in OpenAI format', () => {
  it('adds index, delta and finish reason', () => {
    expect(choicesOf(opening, chunk({}), chunk({ content_filter_results: {} }))).toEqual([
      [choice({ role: 'assistant', content: '' })],
      [choice({})],
      [{ ...choice({}), content_filter_results: {} }],
    ]);
  });

  it.each([
    ['eos', 'stop'],
    ['model_length', 'length'],
    ['SAFETY', 'content_filter'],
    // Without a tool call.
    ['tool_use', 'stop'],
    ['unheard_of', 'stop'],
    ['constructor', 'stop'],
    ['content_filter', 'content_filter'],
  ])('maps finish reason %s to %s and sends it once', (received, expected) => {
    expect(choicesOf(opening, chunk(choice({}, received)), chunk(choice({}, received)))).toEqual([
      [choice({ role: 'assistant', content: '' })],
      [choice({})],
      [choice({}, expected)],
    ]);
  });

  it('sends the role once, in the first delta', () => {
    const again = chunk(choice({ role: 'assistant', content: 'Hi' }));
    expect(
      choicesOf(
        chunk(choice({ content: 'A' })),
        again,
        chunk(choice({ role: null })),
        chunk(choice({ role: '' }, 'stop')),
        chunk(choice({ role: 'assistant' })),
      ),
    ).toEqual([
      [choice({ role: 'assistant', content: 'A' })],
      [choice({ content: 'Hi' })],
      [choice({})],
      [choice({}, 'stop')],
      [choice({})],
    ]);
  });

  it('sends a finish reason when no content of the choice follows', () => {
    const end = (reason: string) => ({ index: 0, delta: {}, logprobs: null, finish_reason: reason });
    const text = (content: string, reason: string | null) => choice({ content }, reason);
    const next = chunk({ ...choice({ content: 'C' }), index: 1 });
    expect(choicesOf(opening, chunk(text('A', 'stop')), chunk(text('B', 'length')), next, '[DONE]')).toEqual([
      [choice({ role: 'assistant', content: '' })],
      [text('A', null)],
      [text('B', 'length')],
      [{ ...choice({ role: 'assistant', content: 'C' }), index: 1 }],
      [{ ...end('stop'), index: 1 }],
    ]);
    expect(choicesOf(opening, chunk(text('A', 'stop')), chunk(text('B', null)), '[DONE]').slice(1)).toEqual([
      [text('A', null)],
      [text('B', null)],
      [end('stop')],
    ]);
  });

  it('removes null fields that OpenAI omits', () => {
    expect(
      choicesOf(opening, chunk(choice({ content: null, tool_calls: null, function_call: null })))[1],
    ).toEqual([choice({ content: null })]);
  });

  it('adds missing log probability lists and drops invalid logprobs', () => {
    const withLogprobs = (logprobs: unknown) => chunk({ ...choice({ content: 'Hi' }), logprobs });
    expect(choicesOf(opening, withLogprobs({ content: [] }), withLogprobs('none')).slice(1)).toEqual([
      [{ ...choice({ content: 'Hi' }), logprobs: { content: [], refusal: null } }],
      [{ ...choice({ content: 'Hi' }), logprobs: null }],
    ]);
  });
});

describe('Stream content parts', () => {
  const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }], closed: true });

  it.each([
    ['reasoning', [thinking('Hm')], { content: '', reasoning_content: 'Hm' }],
    [
      'reasoning and text',
      [thinking('Hm'), { type: 'text', text: 'Hi' }],
      { content: 'Hi', reasoning_content: 'Hm' },
    ],
    [
      'reasoning that is a string',
      [{ type: 'thinking', thinking: 'Hm' }],
      { content: '', reasoning_content: 'Hm' },
    ],
    [
      'text with references',
      [
        { type: 'text', text: 'A' },
        { type: 'reference', reference_ids: [1] },
        { type: 'text', text: 'B' },
      ],
      { content: 'AB' },
    ],
    ['no parts', [], { content: '' }],
  ])('joins content parts to text: %s', (_case, content, delta) => {
    expect(choicesOf(opening, chunk(choice({ content })))[1]).toEqual([choice(delta)]);
  });
});

it('copies reasoning to reasoning_content', () => {
  expect(
    choicesOf(
      opening,
      chunk(choice({ reasoning: 'Hm' })),
      chunk(choice({ reasoning: 'Hm', reasoning_content: 'Hm' })),
    ).slice(1),
  ).toEqual([
    [choice({ reasoning: 'Hm', reasoning_content: 'Hm' })],
    [choice({ reasoning: 'Hm', reasoning_content: 'Hm' })],
  ]);
});

describe('Streamed tool calls in OpenAI format', () => {
  const translateCalls = (...toolCalls: object[]) => {
    const deltas = toolCalls.map((tool_calls) =>
      chunk(choice({ tool_calls: Array.isArray(tool_calls) ? tool_calls : [tool_calls] })),
    );
    return choicesOf(opening, ...deltas)
      .slice(1)
      .map(([choice]) => choice.delta.tool_calls);
  };
  const callee = (name: string, text = '{}') => ({ function: { name, arguments: text } });
  const completeCall = (index: number, id: string, name: string) => ({
    index,
    id,
    type: 'function',
    ...callee(name),
  });

  it("passes OpenAI's tool calls through unchanged", () => {
    const toolCalls = [
      completeCall(0, 'a', 'f'),
      { index: 0, function: { arguments: '{' } },
      completeCall(1, 'b', 'g'),
    ];
    expect(translateCalls(...toolCalls)).toEqual(toolCalls.map((it) => [it]));
  });

  it('adds missing index and type', () => {
    expect(
      translateCalls([
        { id: 'a', ...callee('f') },
        { id: 'b', ...callee('g') },
      ]),
    ).toEqual([[completeCall(0, 'a', 'f'), completeCall(1, 'b', 'g')]]);
  });

  it('sends id, type and name once', () => {
    const again = { index: 0, id: 'a', type: 'function', function: { name: '', arguments: '{}' } };
    expect(
      translateCalls(completeCall(0, 'a', 'f'), again, {
        index: 0,
        id: 'other',
        function: { name: null, arguments: null },
      }),
    ).toEqual([
      [completeCall(0, 'a', 'f')],
      [{ index: 0, function: { arguments: '{}' } }],
      [{ index: 0, function: {} }],
    ]);
  });

  it('starts a call whose name follows with its arguments', () => {
    const named = { index: 0, function: { name: 'f', arguments: '{}' } };
    const again = { index: 0, function: { name: 'f', arguments: '' } };
    for (const callStart of [{}, { function: { name: '', arguments: '' } }]) {
      expect(translateCalls({ index: 0, id: 'a', type: 'function', ...callStart }, named, again)).toEqual([
        [],
        [completeCall(0, 'a', 'f')],
        [{ index: 0, function: { arguments: '' } }],
      ]);
    }
  });

  it('starts a call whose name may continue when it is whole, has arguments, or has ended', () => {
    const start = (index: number, id: string, name: string) => ({
      index,
      id,
      type: 'function',
      ...callee(name, ''),
    });
    expect(
      translateCalls(
        { ...start(0, 'a', 'long_'), extra_content: { signature: 's' } },
        [{ index: 0, function: { name: 'name' } }, start(1, 'b', 'long')],
        { index: 1, function: { name: '_name_2', arguments: '{}' } },
        start(2, 'c', 'l'),
        [{ index: 2, function: { name: 'o' } }, start(3, 'd', 'f')],
      ),
    ).toEqual([
      [],
      [{ ...start(0, 'a', 'long_name'), extra_content: { signature: 's' } }],
      [completeCall(1, 'b', 'long_name_2')],
      [],
      [start(3, 'd', 'f'), start(2, 'c', 'lo')],
    ]);
    const end = [chunk(choice({ tool_calls: [start(0, 'a', 'long')] })), stop];
    expect(choicesOf(opening, ...end)[2]).toEqual([
      choice({ tool_calls: [completeCall(0, 'a', 'long')] }, 'tool_calls'),
    ]);
  });

  it('normalizes a call after the finish reason', () => {
    const late = chunk(choice({ tool_calls: [{ id: 'a', ...callee('f') }] }));
    const { chunks, facts } = read([opening, stop, late]);
    expect(chunks.slice(1).map(({ choices }) => choices)).toEqual([
      [choice({})],
      [choice({ tool_calls: [completeCall(0, 'a', 'f')] })],
      [{ ...choice({}, 'tool_calls'), logprobs: null }],
    ]);
    expect(facts.finishReason).toBe('tool_calls');
  });

  it('renumbers tool calls from 0', () => {
    expect(
      translateCalls(
        { ...completeCall(0, 'a', 'f'), index: 3 },
        { index: 3, function: { arguments: 'x' } },
        { ...completeCall(0, 'b', 'g'), index: 7 },
      ),
    ).toEqual([
      [completeCall(0, 'a', 'f')],
      [{ index: 0, function: { arguments: 'x' } }],
      [completeCall(1, 'b', 'g')],
    ]);
  });

  it('starts a new tool call for a new id and name at the same index', () => {
    expect(translateCalls(completeCall(0, 'a', 'f'), { ...completeCall(0, 'b', 'f'), index: 0 })).toEqual([
      [completeCall(0, 'a', 'f')],
      [completeCall(1, 'b', 'f')],
    ]);
  });

  it('generates a missing id and appends following arguments to that call', () => {
    const id = (number: number) => `call_8c007d2e9f3a5b6c7d8e9f02_0_${number}`;
    expect(translateCalls(callee('f', ''), { function: { arguments: '{}' } }, callee('g'))).toEqual([
      [completeCall(0, id(0), 'f')].map((it) => ({ ...it, function: { name: 'f', arguments: '' } })),
      [{ index: 0, function: { arguments: '{}' } }],
      [completeCall(1, id(1), 'g')],
    ]);
  });

  it('converts arguments to text, preserving the digits of numbers', () => {
    const { events } = read([
      opening,
      '{"id":"c","object":"chat.completion.chunk","created":1767225600,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":{"n":1.0}}}]},"finish_reason":null}]}',
    ]);
    expect(JSON.parse(events[1] ?? '').choices[0].delta.tool_calls[0].function.arguments).toBe('{"n":1.0}');
    expect(translateCalls({ index: 0, id: 'a', type: 'function', function: { name: 'f' } })).toEqual([
      [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
    ]);
  });
});

describe('Stream usage in OpenAI format', () => {
  const reportedUsage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  const inXGroq = chunk(choice({}, 'stop'), {
    x_groq: { id: 'r', usage: { ...reportedUsage, queue_time: 0.1 } },
  });

  it('copies usage from x_groq for a caller that requested it', () => {
    expect(read([opening, inXGroq], { includeUsage: true }).chunks[1]).toEqual({
      ...inXGroq,
      usage: { ...reportedUsage, queue_time: 0.1 },
    });
    expect(read([opening, inXGroq]).chunks[1]).toEqual(inXGroq);
  });

  it('copies usage from a choice for a caller that requested it', () => {
    const usageInChoice = chunk({ ...choice({}, 'stop'), usage: reportedUsage });
    expect(read([opening, usageInChoice], { includeUsage: true }).chunks[1]).toEqual({
      ...usageInChoice,
      usage: reportedUsage,
    });
  });

  it('adds reasoning tokens to completion_tokens and a missing total', () => {
    const xai = {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 303,
      completion_tokens_details: { reasoning_tokens: 290 },
    };
    const last = (usage: object) =>
      read([opening, { ...stop, usage }], { includeUsage: true }).chunks[1].usage;
    expect(last(xai)).toEqual({ ...xai, completion_tokens: 291 });
    expect(last({ prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: null })).toEqual(
      reportedUsage,
    );
  });

  it('keeps usage with an unreadable count as it is', () => {
    const usage = { prompt_tokens: '9', completion_tokens: 3, total_tokens: null };
    const { chunks, facts } = read([opening, { ...stop, usage }], { includeUsage: true });
    expect(chunks[1].usage).toEqual(usage);
    expect(facts.usage).toMatchObject({ outputTokens: 3, missing: ['input_tokens'] });
  });

  it('reads the reported cost', () => {
    const usage = { ...reportedUsage, cost: 0.00000585 };
    expect(read([opening, { ...stop, usage }], { reportedCost: 'cost' }).facts.reportedCostUsd).toBe(
      '0.00000585',
    );
  });
});

describe('Stream errors in OpenAI format', () => {
  it.each([
    [
      'an error in a choice',
      { ...choice({}), error: { code: 429, message: 'Slow down' } },
      {},
      429,
      'Slow down',
    ],
    ['an error in x_groq', choice({}), { x_groq: { error: 'Out of memory' } }, 502, 'Out of memory'],
    [
      'finish reason error',
      choice({}, 'error'),
      {},
      502,
      'The provider some ended its response with "error"',
    ],
    [
      'finish reason insufficient_system_resource',
      choice({}, 'insufficient_system_resource'),
      {},
      503,
      'The provider some ended its response with "insufficient_system_resource"',
    ],
  ])('ends the stream on %s', (_case, failedChoice, rest, status, message) => {
    const { events, facts } = read([opening, chunk(failedChoice, rest), '[DONE]']);

    expect(events).toEqual([JSON.stringify(opening)]);
    expect(facts.error).toMatchObject({ status, message });
    expect(facts.finishReason).toBeNull();
  });
});

it('adds a missing [DONE] once every choice has finished', () => {
  expect(read([opening, stop]).events.at(-1)).toBe('[DONE]');
  expect(read([opening]).events).toEqual([JSON.stringify(opening)]);
});
