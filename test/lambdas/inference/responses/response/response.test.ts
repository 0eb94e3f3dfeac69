import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { exampleRequestId } from '#test/support/providers/provider-call.ts';
import { openResponsesProblems, requiredResponseFields } from '#test/support/responses/open-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { eventsOf, startResponsesWriter, writeStream, writeWhole } from '#test/support/responses/write.ts';

const say: WriteScript = (choice) => {
  choice.text('Hi');
  choice.finish('stop');
};

/** Fields of the response to a request without settings. */
const defaults = {
  id: `resp_gateway_${exampleRequestId}`,
  object: 'response',
  created_at: 1_795_132_800,
  completed_at: null,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: 'served-model',
  output: [],
  usage: null,
  service_tier: 'default',
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  store: false,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

describe('The start of a stream', () => {
  it('comes as soon as the provider has begun, and once', () => {
    const writer = startResponsesWriter();
    writer.identify({ id: 'chatcmpl-1', model: 'served-model' });
    expect([writer.take().toString(), writer.facts.started]).toEqual(['', false]);
    writer.choice(0).begin();
    expect(eventsOf(writer.take().toString())).toEqual([
      { type: 'response.created', sequence_number: 0, response: defaults },
      { type: 'response.in_progress', sequence_number: 1, response: defaults },
    ]);
    expect([writer.facts.started, writer.facts.responseModel]).toEqual([true, 'served-model']);
    writer.choice(0).begin();
    expect(writer.take().toString()).toBe('');
  });

  it('comes with the content if nothing has announced it, or with the end', () => {
    const names = (script: WriteScript) => writeStream(script).events.map(({ type }) => type);
    expect(names((choice) => choice.text('Hi')).slice(0, 3)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
    ]);
    expect(names((choice) => choice.finish('stop'))).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ]);
  });

  it('has the id of the request', () => {
    const ids = ['one', 'two'].map((requestId) => {
      const { response, output } = writeWhole(say, { requestId });
      return [response.id, output[0]?.id];
    });
    expect(ids).toEqual([
      ['resp_gateway_one', 'msg_gateway_one_0'],
      ['resp_gateway_two', 'msg_gateway_two_0'],
    ]);
  });
});

describe('A sign that the provider is still working', () => {
  it('is a comment in a stream, before the start and after it', () => {
    const writer = startResponsesWriter();
    const choice = writer.choice(0);
    writer.ping();
    expect(writer.take().toString()).toBe(': ping\n\n');
    choice.text('Hi');
    writer.ping();
    choice.text('!');
    choice.finish('stop');
    writer.end();
    const text = writer.take().toString();
    expect(text).toContain('\n\n: ping\n\nevent: response.output_text.delta\n');
    expect(streamProblems(text)).toEqual([]);
  });
});

describe('The fields that repeat the request', () => {
  const look = { type: 'function', name: 'look' };
  const complete = { ...look, description: 'Looks', parameters: { type: 'object' }, strict: true };
  const fields: JsonObject = {
    instructions: 'Be brief.',
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 0.1,
    frequency_penalty: -0.2,
    max_output_tokens: 100,
    max_tool_calls: 3,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    prompt_cache_key: 'cache',
    prompt_cache_retention: '24h',
    reasoning: { effort: 'high', summary: 'auto' },
    safety_identifier: 'ada',
    text: {
      format: { type: 'json_schema', name: 'out', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
    },
    tool_choice: { type: 'function', name: 'look' },
    tools: [complete, { type: 'web_search' }, { type: 'custom', name: 'patch' }],
    top_logprobs: 2,
    truncation: 'auto',
    user: 'ada',
  };

  it('are those of the request', () => {
    const { response } = writeWhole(say, { fields });
    expect(response).toMatchObject(fields);
    expect([responseProblems(response), openResponsesProblems(response)]).toEqual([[], []]);
    expect(Object.keys(response)).toEqual(expect.arrayContaining([...requiredResponseFields]));
  });

  it('are its default values for fields that are null', () => {
    const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const script: WriteScript = (choice, writer) => {
      writer.identify({ model: 'served-model' });
      choice.finish('length');
    };
    const { response } = writeWhole(script, { fields: nulls });
    expect(response).toMatchObject({
      ...defaults,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: expect.any(Object),
    });
    expect(openResponsesProblems(response)).toEqual([]);
  });

  it.each<[fields: JsonObject, repeated: JsonObject]>([
    [{ store: true }, { store: false }],
    [{ tools: [look] }, { tools: [{ ...look, description: null, parameters: null, strict: null }] }],
    [{ text: {} }, { text: { format: { type: 'text' }, verbosity: 'medium' } }],
    [{ text: { verbosity: 'high' } }, { text: { format: { type: 'text' }, verbosity: 'high' } }],
    [{ reasoning: { effort: 'low' } }, { reasoning: { effort: 'low', summary: null } }],
    [
      { reasoning: { summary: 'concise', effort: null } },
      { reasoning: { effort: null, summary: 'concise' } },
    ],
    [{ tool_choice: 'required' }, { tool_choice: 'required' }],
  ])('of %j are %j', (given, repeated) => {
    const { response } = writeWhole(say, { fields: given });
    expect(response).toMatchObject(repeated);
    expect([responseProblems(response), openResponsesProblems(response)]).toEqual([[], []]);
  });

  it('are the same in every response of a stream', () => {
    const { events, response } = writeStream(say, { fields });
    const repeated = events.flatMap(({ response: each }) => (each === undefined ? [] : [each]));
    expect(repeated).toHaveLength(3);
    const { usage, status, output, completed_at, ...same } = response;
    for (const each of repeated) expect(each).toMatchObject(same);
  });
});
