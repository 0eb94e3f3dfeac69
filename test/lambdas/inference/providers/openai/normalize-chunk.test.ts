/** What becomes of chunks that clients break on; each is shown as the caller gets it. */
import { describe, expect, it } from 'vitest';
import { createOpenAiStreamReader } from '#lambdas/inference/providers/openai/stream.ts';
import { exampleRequestId, providerCall } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const identity = { id: 'c', object: 'chat.completion.chunk', created: 1767225600, model: 'm' };

function read(
  chunks: readonly (object | string)[],
  { includeUsage = false, reportedCost = null as 'cost' | null } = {},
) {
  const call = providerCall(
    { stream: true, stream_options: { include_usage: includeUsage } },
    { model: 'm' },
  );
  const reader = createOpenAiStreamReader({ provider: 'some', model: 'm', reportedCost }, call);
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

/** The choices of each chunk. */
const choicesOf = (...chunks: readonly (object | string)[]) =>
  read(chunks).chunks.map(({ choices }) => choices);
const chunk = (choice: object, rest: object = {}) => ({ ...identity, choices: [choice], ...rest });
const piece = (delta: object, finish_reason: string | null = null) => ({ index: 0, delta, finish_reason });
const begin = chunk(piece({ role: 'assistant', content: '' }));
const stop = chunk(piece({}, 'stop'));

describe('a chunk', () => {
  it('that is right stays as it was written', () => {
    const odd =
      '{ "id":"c" ,"object":"chat.completion.chunk", "created":1767225600,"model":"m","choices":[{"index":0,"delta":{"content":"\\u00e9"},"finish_reason":null}],"x":1.0}';
    const { text } = read([begin, odd, odd, stop, '[DONE]']);

    expect(text).toBe(
      `data: ${JSON.stringify(begin)}\n\ndata: ${odd}\n\ndata: ${odd}\n\ndata: ${JSON.stringify(stop)}\n\ndata: [DONE]\n\n`,
    );
  });

  it('that is written anew keeps the digits of its numbers', () => {
    const { events } = read([
      begin,
      '{"choices":[{"delta":{"content":"Hi"}}],"cost":1.0,"big":9007199254740993,"small":2.05e-05}',
    ]);

    expect(events[1]).toBe(
      '{"choices":[{"delta":{"content":"Hi"},"index":0,"finish_reason":null}],"cost":1.0,"big":9007199254740993,"small":2.05e-05,"id":"c","created":1767225600,"model":"m","object":"chat.completion.chunk"}',
    );
  });

  it('has id, time and model of the first', () => {
    const { chunks } = read([
      begin,
      { ...chunk(piece({ content: 'Hi' })), id: 'd', created: 1767225601, model: 'n' },
    ]);

    expect(chunks[1]).toEqual(chunk(piece({ content: 'Hi' })));
  });

  it('of a provider that says nothing of itself gets an identity', () => {
    const { chunks } = read([
      { choices: [piece({ content: 'Hi' })] },
      { id: '', object: '', created: 0, model: '', choices: [piece({}, 'stop')] },
    ]);

    const made = {
      id: `chatcmpl-${exampleRequestId}`,
      created: 1795132800,
      model: 'm',
      object: 'chat.completion.chunk',
    };
    expect(chunks).toEqual([
      { ...made, choices: [piece({ role: 'assistant', content: 'Hi' })] },
      { ...made, choices: [piece({}, 'stop')] },
    ]);
  });

  it('before all others waits for the identity of the answer', () => {
    const opening = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [] };
    const { chunks, facts } = read([opening]);
    expect([chunks, facts.started]).toEqual([[], false]);

    expect(read([opening, begin]).chunks).toEqual([{ ...opening, ...identity }, begin]);
  });

  it('that says nothing of the answer does not name it', () => {
    const { chunks } = read(['{}', '{"type":"ping"}', begin, stop]);
    expect(chunks).toEqual([
      { ...identity, choices: [] },
      { type: 'ping', ...identity, choices: [] },
      begin,
      stop,
    ]);
  });

  it('without choices has none', () => {
    expect(read([begin, { ...identity, choices: null, x: 1 }]).chunks[1]).toEqual({
      ...identity,
      choices: [],
      x: 1,
    });
  });

  it('has no service tier but those of OpenAI', () => {
    expect(read([{ ...begin, service_tier: 'on_demand' }]).chunks).toEqual([
      { ...begin, service_tier: null },
    ]);
    expect(read([{ ...begin, service_tier: 'flex' }]).chunks).toEqual([{ ...begin, service_tier: 'flex' }]);
  });
});

describe('a choice', () => {
  it('has an index, a delta and a finish reason', () => {
    expect(choicesOf(begin, chunk({}), chunk({ content_filter_results: {} }))).toEqual([
      [piece({ role: 'assistant', content: '' })],
      [piece({})],
      [{ ...piece({}), content_filter_results: {} }],
    ]);
  });

  it.each([
    ['eos', 'stop'],
    ['model_length', 'length'],
    ['SAFETY', 'content_filter'],
    ['tool_use', 'tool_calls'],
    ['unheard_of', 'stop'],
    ['constructor', 'stop'],
    ['content_filter', 'content_filter'],
  ])('that ends with %s ends with %s, once', (said, shown) => {
    expect(choicesOf(begin, chunk(piece({}, said)), chunk(piece({}, said)))).toEqual([
      [piece({ role: 'assistant', content: '' })],
      [piece({}, shown)],
      [piece({})],
    ]);
  });

  it('says its role once, in its first delta', () => {
    const again = chunk(piece({ role: 'assistant', content: 'Hi' }));
    expect(
      choicesOf(
        chunk(piece({ content: 'A' })),
        again,
        chunk(piece({ role: null })),
        chunk(piece({ role: '' }, 'stop')),
        again,
      ),
    ).toEqual([
      [piece({ role: 'assistant', content: 'A' })],
      [piece({ content: 'Hi' })],
      [piece({})],
      [piece({}, 'stop')],
      [piece({ content: 'Hi' })],
    ]);
  });

  it('has no null where OpenAI has nothing', () => {
    expect(
      choicesOf(begin, chunk(piece({ content: null, tool_calls: null, function_call: null })))[1],
    ).toEqual([piece({ content: null })]);
  });

  it('has both lists of log probabilities', () => {
    const withLogprobs = (logprobs: unknown) => chunk({ ...piece({ content: 'Hi' }), logprobs });
    expect(choicesOf(begin, withLogprobs({ content: [] }), withLogprobs('none')).slice(1)).toEqual([
      [{ ...piece({ content: 'Hi' }), logprobs: { content: [], refusal: null } }],
      [{ ...piece({ content: 'Hi' }), logprobs: null }],
    ]);
  });
});

describe('content in parts', () => {
  const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }], closed: true });

  it.each([
    ['thoughts', [thinking('Hm')], { content: '', reasoning_content: 'Hm' }],
    [
      'thoughts and text',
      [thinking('Hm'), { type: 'text', text: 'Hi' }],
      { content: 'Hi', reasoning_content: 'Hm' },
    ],
    [
      'thoughts that are just text',
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
    ['nothing', [], { content: '' }],
  ])('is text: %s', (_case, content, delta) => {
    expect(choicesOf(begin, chunk(piece({ content })))[1]).toEqual([piece(delta)]);
  });
});

it('shows thoughts as reasoning_content, whatever the provider calls them', () => {
  expect(
    choicesOf(
      begin,
      chunk(piece({ reasoning: 'Hm' })),
      chunk(piece({ reasoning: 'Hm', reasoning_content: 'Hm' })),
    ).slice(1),
  ).toEqual([
    [piece({ reasoning: 'Hm', reasoning_content: 'Hm' })],
    [piece({ reasoning: 'Hm', reasoning_content: 'Hm' })],
  ]);
});

describe('a streamed tool call', () => {
  const calls = (...pieces: object[]) => {
    const deltas = pieces.map((tool_calls) =>
      chunk(piece({ tool_calls: Array.isArray(tool_calls) ? tool_calls : [tool_calls] })),
    );
    return choicesOf(begin, ...deltas)
      .slice(1)
      .map(([choice]) => choice.delta.tool_calls);
  };
  const callee = (name: string, text = '{}') => ({ function: { name, arguments: text } });
  const whole = (index: number, id: string, name: string) => ({
    index,
    id,
    type: 'function',
    ...callee(name),
  });

  it('of OpenAI stays as it is', () => {
    const pieces = [whole(0, 'a', 'f'), { index: 0, function: { arguments: '{' } }, whole(1, 'b', 'g')];
    expect(calls(...pieces)).toEqual(pieces.map((it) => [it]));
  });

  it('without index and type gets both', () => {
    expect(
      calls([
        { id: 'a', ...callee('f') },
        { id: 'b', ...callee('g') },
      ]),
    ).toEqual([[whole(0, 'a', 'f'), whole(1, 'b', 'g')]]);
  });

  it('says its id, type and name once', () => {
    const again = { index: 0, id: 'a', type: 'function', function: { name: '', arguments: '{}' } };
    expect(
      calls(whole(0, 'a', 'f'), again, { index: 0, id: 'other', function: { name: null, arguments: null } }),
    ).toEqual([
      [whole(0, 'a', 'f')],
      [{ index: 0, function: { arguments: '{}' } }],
      [{ index: 0, function: {} }],
    ]);
  });

  it('keeps a name that comes after its id', () => {
    const named = { index: 0, function: { name: 'f', arguments: '{}' } };
    const begun = { index: 0, id: 'a', type: 'function', function: { name: '', arguments: '' } };
    const again = { index: 0, function: { name: 'f', arguments: '' } };
    expect(calls(begun, named, again)).toEqual([
      [begun],
      [named],
      [{ index: 0, function: { arguments: '' } }],
    ]);
    expect(calls({ index: 0, id: 'a', type: 'function' }, { ...named, id: 'a' })).toEqual([
      [{ index: 0, id: 'a', type: 'function' }],
      [named],
    ]);
  });

  it('is counted from 0, whatever the provider counts', () => {
    expect(
      calls(
        { ...whole(0, 'a', 'f'), index: 3 },
        { index: 3, function: { arguments: 'x' } },
        { ...whole(0, 'b', 'g'), index: 7 },
      ),
    ).toEqual([[whole(0, 'a', 'f')], [{ index: 0, function: { arguments: 'x' } }], [whole(1, 'b', 'g')]]);
  });

  it('is a new one when it has a name and an id of its own', () => {
    expect(calls(whole(0, 'a', 'f'), { ...whole(0, 'b', 'f'), index: 0 })).toEqual([
      [whole(0, 'a', 'f')],
      [whole(1, 'b', 'f')],
    ]);
  });

  it('without an id gets one, and what follows goes on with it', () => {
    const id = (number: number) => `call_8c007d2e9f3a5b6c7d8e9f02_0_${number}`;
    expect(calls(callee('f', ''), { function: { arguments: '{}' } }, callee('g'))).toEqual([
      [whole(0, id(0), 'f')].map((it) => ({ ...it, function: { name: 'f', arguments: '' } })),
      [{ index: 0, function: { arguments: '{}' } }],
      [whole(1, id(1), 'g')],
    ]);
  });

  it('has its arguments as text', () => {
    const { events } = read([
      begin,
      '{"id":"c","object":"chat.completion.chunk","created":1767225600,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":{"n":1.0}}}]},"finish_reason":null}]}',
    ]);
    expect(JSON.parse(events[1] ?? '').choices[0].delta.tool_calls[0].function.arguments).toBe('{"n":1.0}');
    expect(calls({ index: 0, id: 'a', type: 'function', function: { name: 'f' } })).toEqual([
      [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
    ]);
  });
});

describe('usage', () => {
  const counted = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  const inXGroq = chunk(piece({}, 'stop'), { x_groq: { id: 'r', usage: { ...counted, queue_time: 0.1 } } });

  it('in x_groq alone is shown to the caller who asked for it', () => {
    expect(read([begin, inXGroq], { includeUsage: true }).chunks[1]).toEqual({
      ...inXGroq,
      usage: { ...counted, queue_time: 0.1 },
    });
    expect(read([begin, inXGroq]).chunks[1]).toEqual(inXGroq);
  });

  it('beside a choice alone is shown to the caller who asked for it', () => {
    const beside = chunk({ ...piece({}, 'stop'), usage: counted });
    expect(read([begin, beside], { includeUsage: true }).chunks[1]).toEqual({ ...beside, usage: counted });
  });

  it('counts reasoning as output, and has a total', () => {
    const xai = {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 303,
      completion_tokens_details: { reasoning_tokens: 290 },
    };
    const last = (usage: object) => read([begin, { ...stop, usage }], { includeUsage: true }).chunks[1].usage;
    expect(last(xai)).toEqual({ ...xai, completion_tokens: 291 });
    expect(last({ prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: null })).toEqual(counted);
  });

  it('brings the cost that the provider states', () => {
    const usage = { ...counted, cost: 0.00000585 };
    expect(read([begin, { ...stop, usage }], { reportedCost: 'cost' }).facts.reportedCostUsd).toBe(
      '0.00000585',
    );
  });
});

describe('a failure inside the stream', () => {
  it.each([
    ['in a choice', { ...piece({}), error: { code: 429, message: 'Slow down' } }, {}, 429, 'Slow down'],
    ['under x_groq', piece({}), { x_groq: { error: 'Out of memory' } }, 502, 'Out of memory'],
    ['as a finish reason', piece({}, 'error'), {}, 502, 'The provider some ended its answer with "error"'],
    [
      'as a lack of room',
      piece({}, 'insufficient_system_resource'),
      {},
      503,
      'The provider some ended its answer with "insufficient_system_resource"',
    ],
  ])('%s ends it', (_case, choice, rest, status, message) => {
    const { events, facts } = read([begin, chunk(choice, rest), '[DONE]']);

    expect(events).toEqual([JSON.stringify(begin)]);
    expect(facts.error).toMatchObject({ status, message });
    expect(facts.finishReason).toBeNull();
  });
});

it('is done when every choice has ended, also where the provider does not say so', () => {
  expect(read([begin, stop]).events.at(-1)).toBe('[DONE]');
  expect(read([begin]).events).toEqual([JSON.stringify(begin)]);
});
