/** Reads what servers send by the Responses API into the neutral form, also in ways that OpenAI does not. */
import { describe, expect, it } from 'vitest';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { createResponsesReader } from '#lambdas/inference/providers/openai/over-responses/reader.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { functionTool, neutralRequest } from '#test/support/providers/neutral-request.ts';
import { recordSink, type SinkCall } from '#test/support/providers/recording-sink.ts';

const origin = { provider: 'openai', model: 'm', stream: true, credential: null, reportedCost: null };

const custom = { type: 'custom', description: null, format: null, namespace: null, param: 'tools' } as const;
const tools = [functionTool('look'), functionTool('mail send'), { ...custom, name: 'patch' }];

interface Read {
  calls: SinkCall[];
  /** The number of calls of `endWhole`. */
  ends: number;
}

/** Reads events or, if there is one without a type, a whole response. */
function read(payloads: readonly JsonObject[], fields: Partial<CompletionRequest> = { tools }): Read {
  const { sink, calls } = recordSink();
  let ends = 0;
  const writer: CompletionWriter = {
    ...sink,
    facts: startReaderFacts(),
    ping() {},
    end() {},
    endWhole() {
      ends += 1;
    },
    take: () => Buffer.alloc(0),
  };
  const readPayload = createResponsesReader({
    origin,
    request: neutralRequest(fields),
    writer,
    onFinal() {},
  });
  for (const payload of payloads) readPayload(payload, '');
  return { calls, ends };
}

const completed = (output: JsonObject[] = [], fields: JsonObject = {}) => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', output, ...fields },
});
const whole = (...output: JsonObject[]) => read([{ object: 'response', status: 'completed', output }]).calls;
const event = (type: string, fields: JsonObject = {}) => ({
  type: `response.${type}`,
  output_index: 0,
  ...fields,
});

const textPart = (text: string, fields: JsonObject = {}) => ({ type: 'output_text', text, ...fields });
const message = (...content: JsonObject[]) => ({ type: 'message', role: 'assistant', content });
const look = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"a":1}' };
const summary = (...texts: string[]) => texts.map((text) => ({ type: 'summary_text', text }));
const raw = (...texts: string[]) => texts.map((text) => ({ type: 'reasoning_text', text }));
const payload = (kind: 'encrypted' | 'signature', data: object) => ({
  format: 'responses',
  kind,
  data: JSON.stringify(data),
});
const call = (fields: object = {}) => [
  'toolCall',
  { id: 'call_1', name: 'look', namespace: null, isCustom: false, ...fields },
];
const finish = ['finish', 'completed'];

describe('A whole response', () => {
  it.each<[string, JsonObject[], unknown[]]>([
    [
      'text in parts',
      [message(textPart('Hel'), textPart('lo'))],
      [
        ['text', 'Hel'],
        ['text', 'lo'],
      ],
    ],
    ['a refusal', [message({ type: 'refusal', refusal: 'No' })], [['refusal', 'No']]],
    [
      'a phase',
      [{ ...message(textPart('Hi')), phase: 'commentary' }],
      [
        ['text', 'Hi'],
        ['signature', payload('signature', { phase: 'commentary' })],
      ],
    ],
    [
      'citations of pages',
      [
        message(
          textPart('Hi', {
            annotations: [
              { type: 'url_citation', start_index: 0, end_index: 2, url: 'https://x.example/', title: 'X' },
              { type: 'file_citation', file_id: 'file_1', index: 0 },
            ],
          }),
        ),
      ],
      [
        ['text', 'Hi'],
        [
          'extra',
          {
            annotations: [
              {
                type: 'url_citation',
                url_citation: { start_index: 0, end_index: 2, url: 'https://x.example/', title: 'X' },
              },
            ],
          },
        ],
      ],
    ],
    [
      'log probabilities',
      [
        message(
          textPart('Hi', {
            logprobs: [
              { token: 'Hi', logprob: -1, bytes: [72, 105], top_logprobs: [{ token: 'Ha', logprob: -2 }] },
            ],
          }),
        ),
      ],
      [
        ['text', 'Hi'],
        [
          'logprobs',
          {
            content: [
              {
                token: 'Hi',
                logprob: -1,
                bytes: [72, 105],
                top_logprobs: [{ token: 'Ha', logprob: -2, bytes: null }],
              },
            ],
          },
        ],
      ],
    ],
    [
      'summaries, separated by a blank line',
      [{ type: 'reasoning', id: 'rs_1', summary: summary('It may', 'rain'), encrypted_content: 'gA' }],
      [
        ['reasoning', 'It may'],
        ['reasoning', '\n\n'],
        ['reasoning', 'rain'],
        ['signature', payload('encrypted', { id: 'rs_1', encrypted_content: 'gA' })],
      ],
    ],
    [
      'reasoning that is not shown',
      [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gA' }],
      [['signature', payload('encrypted', { id: 'rs_1', encrypted_content: 'gA' })]],
    ],
    [
      'all of the reasoning',
      [{ type: 'reasoning', id: 'rs_1', summary: [], content: raw('It may', 'rain') }],
      [
        ['reasoning', 'It may'],
        ['reasoning', '\n\n'],
        ['reasoning', 'rain'],
        ['signature', payload('signature', { id: 'rs_1' })],
      ],
    ],
    [
      'the summary, and not also the text of it',
      [{ type: 'reasoning', summary: summary('Rain'), content: raw('It may rain') }],
      [
        ['reasoning', 'Rain'],
        ['signature', null],
      ],
    ],
    ['reasoning without anything', [{ type: 'reasoning', id: 'rs_1', summary: [] }], []],
    ['a call', [look], [call(), ['arguments', '{"a":1}']]],
    ['a call with an object', [{ ...look, arguments: { a: 1 } }], [call(), ['arguments', '{"a":1}']]],
    [
      'a call without an id of its own',
      [{ ...look, call_id: undefined, id: 'fc_1' }],
      [call({ id: 'fc_1' }), ['arguments', '{"a":1}']],
    ],
    [
      'a call with a name that OpenAI does not take',
      [{ ...look, name: 'mail_send' }],
      [call({ name: 'mail send' }), ['arguments', '{"a":1}']],
    ],
    [
      'a call of a custom tool',
      [{ type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: ' *** Begin' }],
      [call({ name: 'patch', isCustom: true }), ['arguments', ' *** Begin']],
    ],
    // xAI lists those that it has run itself.
    [
      'a custom tool of the server',
      [{ type: 'custom_tool_call', call_id: 'c', name: 'x_search', input: '{}' }],
      [['omit']],
    ],
    [
      'a search',
      [{ type: 'web_search_call', id: 'ws_1' }, message(textPart('Hi'))],
      [['omit'], ['text', 'Hi']],
    ],
    [
      'an image',
      [{ type: 'image_generation_call', result: 'AAAA', output_format: 'webp' }],
      [['media', { mediaType: 'image/webp', data: 'AAAA' }]],
    ],
    [
      'an image in its usual format',
      [{ type: 'image_generation_call', result: 'AAAA' }],
      [['media', { mediaType: 'image/png', data: 'AAAA' }]],
    ],
  ])('has %s', (_, output, expected) => {
    expect(whole(...output)).toEqual([...expected, finish]);
  });

  it.each([
    ['incomplete', { reason: 'max_output_tokens' }, 'max_output_tokens'],
    ['incomplete', { reason: 'content_filter' }, 'content_filter'],
    ['incomplete', null, 'incomplete'],
    ['cancelled', null, 'cancelled'],
  ])('that is %s with %j ends with the word %s', (status, incomplete_details, word) => {
    const { calls } = read([
      { object: 'response', status, incomplete_details, output: [message(textPart('Hi'))] },
    ]);

    expect(calls).toEqual([
      ['text', 'Hi'],
      ['finish', word],
    ]);
  });

  it.each<[string, JsonObject]>([
    [
      'failed',
      { object: 'response', status: 'failed', error: { code: 'server_error', message: 'Sorry' }, output: [] },
    ],
    ['an error', { error: { code: 'server_error', message: 'Sorry' } }],
    [
      'an error in an event',
      { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Sorry' } },
    ],
    [
      'an error in an event of the published schema',
      { type: 'error', code: 'server_error', message: 'Sorry', param: null },
    ],
  ])('that is %s is an error', (_, body) => {
    expect(() => read([body])).toThrow(
      expect.objectContaining({ message: 'Sorry', providerCode: 'server_error' }),
    );
  });

  it('with a call that the caller must answer in another format is an error', () => {
    const body = { object: 'response', status: 'completed', output: [{ type: 'shell_call', call_id: 'c' }] };

    expect(() => read([body])).toThrow(
      'The response contains a shell_call, which the format of this request does not have: use POST /ai/responses',
    );
  });
});

describe('A stream', () => {
  it('begins with its first item, and passes deltas on as they come', () => {
    const item = message();
    const { calls, ends } = read([
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
      event('output_item.added', { item }),
      event('content_part.added', { content_index: 0, part: textPart('') }),
      event('output_text.delta', { content_index: 0, delta: 'Hel', logprobs: [] }),
      event('output_text.delta', { content_index: 0, delta: 'lo', logprobs: [{ token: 'lo', logprob: -1 }] }),
      event('output_text.done', {
        content_index: 0,
        text: 'Hello',
        logprobs: [{ token: 'lo', logprob: -1 }],
      }),
      event('output_item.done', { item: message(textPart('Hello')) }),
      completed([message(textPart('Hello'))]),
    ]);

    expect(calls).toEqual([
      ['begin'],
      ['text', 'Hel'],
      ['text', 'lo'],
      ['logprobs', { content: [{ token: 'lo', logprob: -1, bytes: null, top_logprobs: [] }] }],
      finish,
    ]);
    expect(ends).toBe(1);
  });

  it('has the deltas of summaries, of refusals and of calls', () => {
    const encrypted = {
      type: 'reasoning',
      id: 'rs_1',
      summary: summary('It may', 'rain'),
      encrypted_content: 'gA',
    };
    const patch = { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'ab' };
    const at = (output_index: number, type: string, fields: JsonObject) =>
      event(type, { output_index, ...fields });
    const { calls } = read([
      at(0, 'output_item.added', { item: { ...encrypted, summary: [], encrypted_content: 'g' } }),
      at(0, 'reasoning_summary_text.delta', { summary_index: 0, delta: 'It ' }),
      at(0, 'reasoning_summary_text.delta', { summary_index: 0, delta: 'may' }),
      at(0, 'reasoning_summary_text.done', { summary_index: 0, text: 'It may' }),
      at(0, 'reasoning_summary_text.delta', { summary_index: 1, delta: 'rain' }),
      at(0, 'output_item.done', { item: encrypted }),
      at(1, 'output_item.added', { item: message() }),
      at(1, 'refusal.delta', { content_index: 0, delta: 'N' }),
      at(1, 'refusal.done', { content_index: 0, refusal: 'No' }),
      at(1, 'output_item.done', { item: message({ type: 'refusal', refusal: 'No' }) }),
      at(2, 'output_item.added', { item: { ...look, arguments: '' } }),
      at(2, 'function_call_arguments.delta', { delta: '{"a"' }),
      at(2, 'function_call_arguments.delta', { delta: ':1}' }),
      at(2, 'function_call_arguments.done', { arguments: '{"a":1}' }),
      at(3, 'output_item.added', { item: { ...patch, input: '' } }),
      at(3, 'custom_tool_call_input.delta', { delta: 'a' }),
      at(2, 'output_item.done', { item: look }),
      at(3, 'custom_tool_call_input.done', { input: 'ab' }),
      at(3, 'output_item.done', { item: patch }),
      completed([encrypted, message({ type: 'refusal', refusal: 'No' }), look, patch]),
    ]);

    expect(calls.filter(([method]) => method !== 'begin')).toEqual([
      ['reasoning', 'It '],
      ['reasoning', 'may'],
      ['reasoning', '\n\n'],
      ['reasoning', 'rain'],
      ['signature', payload('encrypted', { id: 'rs_1', encrypted_content: 'gA' })],
      ['refusal', 'N'],
      ['refusal', 'o'],
      call(),
      ['arguments', '{"a"'],
      ['arguments', ':1}'],
      call({ id: 'call_2', name: 'patch', isCustom: true }),
      ['arguments', 'a'],
      ['arguments', 'b'],
      finish,
    ]);
  });

  it.each<[string, JsonObject[], SinkCall[]]>([
    [
      // LM Studio
      'a call without deltas',
      [
        event('output_item.added', { item: { ...look, arguments: '' } }),
        event('output_item.done', { item: look }),
      ],
      [['begin'], call() as SinkCall, ['arguments', '{"a":1}']],
    ],
    [
      'an item that only ends',
      [event('output_item.done', { item: message(textPart('Hi')) })],
      [['text', 'Hi']],
    ],
    [
      'items only at its end',
      [completed([message(textPart('Hi')), look])],
      [['text', 'Hi'], call() as SinkCall, ['arguments', '{"a":1}']],
    ],
    [
      'events without an index',
      [
        { type: 'response.output_item.added', item: message() },
        { type: 'response.output_text.delta', delta: 'Hi' },
        { type: 'response.output_item.done', item: message(textPart('Hi')) },
      ],
      [['begin'], ['text', 'Hi']],
    ],
    [
      'all of the reasoning',
      [
        event('output_item.added', { item: { type: 'reasoning', id: 'rs_1', summary: [] } }),
        event('reasoning_text.delta', { content_index: 0, delta: 'Rain' }),
        event('reasoning_text.done', { content_index: 0, text: 'Rain' }),
        event('reasoning_summary_part.added', { summary_index: 0 }),
        event('output_item.done', {
          item: { type: 'reasoning', id: 'rs_1', summary: [], content: raw('Rain') },
        }),
      ],
      [['begin'], ['reasoning', 'Rain'], ['signature', payload('signature', { id: 'rs_1' })]],
    ],
    [
      'deltas before their item',
      [
        event('output_text.delta', { delta: 'Hi' }),
        event('output_item.done', { item: message(textPart('Hi')) }),
      ],
      [['text', 'Hi']],
    ],
  ])('may have %s', (_, events, expected) => {
    const { calls } = read([...events, completed()]);

    expect(calls.slice(0, expected.length)).toEqual(expected);
    expect(calls.filter(([method]) => method === 'text' || method === 'arguments')).toHaveLength(
      expected.filter(([method]) => method === 'text' || method === 'arguments').length,
    );
  });

  it('does not read an item twice that ends and is in the final response', () => {
    const item = message(textPart('Hi'));
    const { calls } = read([event('output_item.done', { item }), completed([item])]);

    expect(calls).toEqual([['text', 'Hi'], finish]);
  });
});
