/** The validation finds each way in which events and messages can differ from the SDK's types. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { errorProblems, messageProblems, streamProblems } from './validate.ts';

const counts = {
  input_tokens: 3,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 4,
  output_tokens_details: null,
  server_tool_use: null,
};
const usage = {
  ...counts,
  cache_creation: null,
  inference_geo: null,
  service_tier: null,
  speed: null,
};
const started = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  container: null,
  diagnostics: null,
  stop_details: null,
  stop_reason: null,
  stop_sequence: null,
  usage,
};
const call = { type: 'tool_use', id: 'c', name: 'look', input: {}, caller: { type: 'direct' } };
const message: JsonObject = {
  ...started,
  stop_reason: 'tool_use',
  content: [{ type: 'thinking', thinking: 'Hm', signature: 's' }, call],
};
const events: readonly JsonObject[] = [
  { type: 'message_start', message: started },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: call },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { container: null, stop_details: null, stop_reason: 'tool_use', stop_sequence: null },
    usage: counts,
  },
  { type: 'message_stop' },
];
const failure = {
  type: 'error',
  error: { type: 'api_error', message: 'No' },
  request_id: 'r',
};

const textOf = (list: readonly JsonObject[]) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const changed = (at: number, event: JsonObject) => events.with(at, { ...events[at], ...event });
const without = (...positions: number[]) => events.filter((_, at) => !positions.includes(at));

describe('The validation of a stream', () => {
  it.each([
    ['a whole stream', events],
    ['an error within a block', [...events.slice(0, 3), failure]],
  ])('accepts %s', (_, list) => {
    expect(streamProblems(textOf(list))).toEqual([]);
  });

  it.each<[problem: string, JsonObject[]]>([
    ['the stream does not begin with message_start', without(0)],
    ['message_start is repeated', events.flatMap((event, at) => (at === 0 ? [event, event] : [event]))],
    ['the started message is not empty', changed(0, { message })],
    ['neither message_stop nor an error ends the stream', without(10)],
    ['message_delta does not come before message_stop, once', without(9)],
    ['an event follows the end', [...events, failure]],
    ['block 1 starts before the one before it stops', without(5)],
    ['block 1 starts in place of 0', without(1, 2, 4, 5)],
    ['block 1 starts with content', changed(6, { content_block: { ...call, input: { n: 1 } } })],
    ['a delta of block 0, which is not open', without(1)],
    ['text_delta in thinking', changed(2, { delta: { type: 'text_delta', text: 'a' } })],
    ['a delta after the signature of block 0', [...events.slice(0, 5), ...events.slice(2)]],
    ['block 0 has no signature', without(4)],
    ['message_delta while block undefined is open', without(8)],
    [
      '0 message_start: /message must NOT have additional properties extra',
      changed(0, { message: { ...started, extra: 1 } }),
    ],
    [
      "1 content_block_start: /content_block must have required property 'signature'",
      changed(1, { content_block: { type: 'thinking', thinking: '' } }),
    ],
    ['1 content_block_start: /index must be integer', changed(1, { index: '0' })],
    [
      "6 content_block_delta: /delta must have required property 'partial_json'",
      changed(7, { delta: { type: 'input_json_delta' } }),
    ],
    [
      "8 message_delta: /usage must have required property 'server_tool_use'",
      changed(9, { usage: { ...counts, server_tool_use: undefined } }),
    ],
    [
      '8 message_delta: /usage/output_tokens must be >= 0',
      changed(9, { usage: { ...counts, output_tokens: -1 } }),
    ],
    ["/error must have required property 'message'", [{ ...failure, error: { type: 'api_error' } }]],
  ])('finds that %s', (problem, list) => {
    expect(streamProblems(textOf(list))).toContain(problem);
  });

  it('finds an event with another name than its type, and one that ends too early', () => {
    const text = textOf(events).replace('event: ping', 'event: pong').slice(0, -1);
    expect(streamProblems(text).slice(0, 2)).toEqual([
      'the last event does not end with a blank line',
      'an event has no data, or another name than its type',
    ]);
  });
});

describe('The validation of a message', () => {
  it('accepts a message and an error', () => {
    expect([messageProblems(message), errorProblems(failure)]).toEqual([[], []]);
  });

  it.each<[problem: string, JsonObject]>([
    ['the message has no stop_reason', { stop_reason: null }],
    ['the message has stop_reason tool_use but no call', { content: [] }],
    ['a text is blank', { content: [{ type: 'text', text: ' ', citations: null }] }],
    ['thinking has no signature', { content: [{ type: 'thinking', thinking: 'a', signature: '' }] }],
    ['the input of a call is no object', { content: [{ ...call, input: [] }] }],
    ['the ids of calls are not unique', { content: [call, call] }],
    ["/content/0 must have required property 'caller'", { content: [{ ...call, caller: undefined }] }],
    ["must have required property 'container'", { container: undefined }],
    ['/usage must NOT have additional properties total', { usage: { ...usage, total: 7 } }],
  ])('finds that %s', (problem, fields) => {
    expect(messageProblems(JSON.parse(JSON.stringify({ ...message, ...fields })))).toContain(problem);
  });
});
