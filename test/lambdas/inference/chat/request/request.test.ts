import { describe, expect, it } from 'vitest';
import { readCompletionRequest } from '#lambdas/inference/chat/request/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

const messages = [{ role: 'user', content: 'Hi' }];
function read(fields: JsonObject) {
  const {
    settings: _,
    omissions: __,
    names: ___,
    ...request
  } = readCompletionRequest({
    model: 'm',
    messages,
    ...fields,
  });
  return request;
}

function errorFor(fields: JsonObject) {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, status: error.status, param: error.param };
    throw error;
  }
  return null;
}

const minimalRequest = {
  system: [],
  turns: [
    {
      role: 'user',
      toolResults: [],
      parts: [{ type: 'text', text: 'Hi', cacheControl: null, param: 'messages[0].content' }],
    },
  ],
  tools: [],
  choice: null,
  toolNames: [],
  parallelToolCalls: null,
  responseFormat: { type: 'text' },
  stop: [],
  maxTokens: null,
  temperature: null,
  topP: null,
  topK: null,
  frequencyPenalty: null,
  presencePenalty: null,
  seed: null,
  n: null,
  reasoningEffort: null,
  reasoningBudget: null,
  reasoningSummary: null,
  user: null,
  providerFields: {},
};

describe('readCompletionRequest', () => {
  it('reads a request with messages only', () => {
    expect(read({})).toEqual(minimalRequest);
  });

  it('reads null parameters as absent', () => {
    const names = [
      ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'stop', 'max_completion_tokens'],
      ...[
        'max_tokens',
        'temperature',
        'top_p',
        'top_k',
        'frequency_penalty',
        'presence_penalty',
        'seed',
        'n',
      ],
      ...['reasoning_effort', 'user'],
    ];
    expect(read(Object.fromEntries(names.map((name) => [name, null])))).toEqual(minimalRequest);
  });

  it('reads every parameter', () => {
    const fields = {
      parallel_tool_calls: false,
      response_format: { type: 'json_object' },
      stop: 'END',
      max_tokens: 10,
      temperature: 0,
      top_p: 0.25,
      top_k: 5,
      frequency_penalty: -1,
      presence_penalty: 1.5,
      seed: 7,
      n: 2,
      reasoning_effort: 'low',
      user: 'u',
      thinking: { type: 'adaptive' },
    };
    expect(read(fields)).toEqual({
      ...minimalRequest,
      parallelToolCalls: false,
      responseFormat: { type: 'json_object' },
      stop: ['END'],
      maxTokens: 10,
      temperature: 0,
      topP: 0.25,
      topK: 5,
      frequencyPenalty: -1,
      presencePenalty: 1.5,
      seed: 7,
      n: 2,
      reasoningEffort: 'low',
      reasoningBudget: null,
      reasoningSummary: null,
      user: { id: 'u', param: 'user' },
      providerFields: { thinking: { type: 'adaptive' } },
    });
  });

  it.each([
    [{ max_tokens: 1 }, 1],
    [{ max_completion_tokens: 2 }, 2],
    [{ max_tokens: 1, max_completion_tokens: 2 }, 2],
    [{ max_tokens: 1, max_completion_tokens: null }, 1],
    [{ max_tokens: 1, max_completion_tokens: 0 }, 0],
  ])('reads %j as a maximum of %i tokens', (fields, maxTokens) => {
    expect(read(fields).maxTokens).toBe(maxTokens);
  });

  it.each([
    ['END', ['END']],
    [
      ['a', 'b', ''],
      ['a', 'b', ''],
    ],
    [[], []],
  ])('reads stop %j as %j', (stop, expected) => {
    expect(read({ stop }).stop).toEqual(expected);
  });

  it.each([1e308, -0.5, 2 ** 53])('does not clamp numbers: %d', (temperature) => {
    expect(read({ temperature, seed: temperature })).toMatchObject({ temperature, seed: temperature });
  });

  const schema = { type: 'object', properties: { constructor: { type: 'string' } } };
  it.each([
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json_object' }],
    [
      { type: 'json_schema', json_schema: { name: 'weather', schema } },
      { type: 'json_schema', name: 'weather', description: null, schema, strict: null },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'w', description: 'd', schema: {}, strict: true } },
      { type: 'json_schema', name: 'w', description: 'd', schema: {}, strict: true },
    ],
  ])('reads the response format %j', (response_format, expected) => {
    expect(read({ response_format }).responseFormat).toEqual(expected);
  });

  const inSchema = (json_schema: unknown) => ({ response_format: { type: 'json_schema', json_schema } });
  it.each<[JsonObject, string]>([
    [{ messages: 'Hi' }, 'messages'],
    [{ messages: [{ role: 'robot' }] }, 'messages[0].role'],
    [{ tools: 'look' }, 'tools'],
    [{ tool_choice: 'any' }, 'tool_choice'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ stop: 5 }, 'stop'],
    [{ stop: ['a', null] }, 'stop[1]'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ max_completion_tokens: true }, 'max_completion_tokens'],
    [{ temperature: '0.5' }, 'temperature'],
    [{ top_p: [] }, 'top_p'],
    [{ top_k: {} }, 'top_k'],
    [{ frequency_penalty: '' }, 'frequency_penalty'],
    [{ presence_penalty: '1' }, 'presence_penalty'],
    [{ seed: 'x' }, 'seed'],
    [{ n: '2' }, 'n'],
    [{ reasoning_effort: 5 }, 'reasoning_effort'],
    [{ reasoning_effort: 'some' }, 'reasoning_effort'],
    [{ user: 5 }, 'user'],
    [{ safety_identifier: 5 }, 'safety_identifier'],
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: [] }, 'response_format'],
    [{ response_format: {} }, 'response_format.type'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [inSchema(undefined), 'response_format.json_schema'],
    [inSchema({ schema }), 'response_format.json_schema.name'],
    [inSchema({ name: 'w' }), 'response_format.json_schema.schema'],
    [inSchema({ name: 'w', schema: true }), 'response_format.json_schema.schema'],
    [inSchema({ name: 'w', schema, description: 5 }), 'response_format.json_schema.description'],
    [inSchema({ name: 'w', schema, strict: 'yes' }), 'response_format.json_schema.strict'],
  ])('rejects %j with param %s', (fields, param) => {
    expect(errorFor(fields)).toEqual({ code: 'invalid_request_error', status: 400, param });
  });
});
