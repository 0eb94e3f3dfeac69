import { describe, expect, it } from 'vitest';
import { readResponses } from '#test/support/responses/read.ts';
import { responsesParameters } from '#test/support/responses/schema.ts';

const settingsOf = (fields: Record<string, unknown>) =>
  readResponses(fields).settings.map(({ name, key, value, isDefault, loss }) => [
    name,
    key,
    value,
    isDefault,
    loss,
  ]);

describe('The settings of a Responses request', () => {
  it('are all parameters that the caller gives, with the effect of leaving them out', () => {
    const format = { type: 'json_object' };
    const tools = [{ type: 'function', name: 'look' }];
    expect(
      settingsOf({
        max_output_tokens: 16,
        temperature: 0.5,
        top_p: 0.9,
        presence_penalty: 1,
        frequency_penalty: 1,
        metadata: { a: 'b' },
        service_tier: 'flex',
        reasoning: { effort: 'low', summary: 'auto' },
        text: { format, verbosity: 'low' },
        tools,
        tool_choice: 'required',
        store: true,
        safety_identifier: 'ada',
        user: 'eve',
        prompt_cache_key: 'cache',
      }),
    ).toEqual([
      ['frequency_penalty', 'frequencyPenalty', 1, false, 'hint'],
      ['max_output_tokens', 'maxTokens', 16, false, 'meaning'],
      ['metadata', 'metadata', { a: 'b' }, false, 'hint'],
      ['presence_penalty', 'presencePenalty', 1, false, 'hint'],
      ['prompt_cache_key', 'promptCacheKey', 'cache', false, 'hint'],
      ['reasoning.effort', 'reasoningEffort', 'low', false, 'hint'],
      ['safety_identifier', 'user', 'ada', false, 'hint'],
      ['service_tier', 'serviceTier', 'flex', false, 'hint'],
      ['store', null, true, false, 'hint'],
      ['temperature', 'temperature', 0.5, false, 'hint'],
      ['text.format', 'responseFormat', format, false, 'meaning'],
      ['text.verbosity', 'verbosity', 'low', false, 'hint'],
      ['tool_choice', 'toolChoice', 'required', false, 'meaning'],
      ['tools', 'tools', tools, false, 'meaning'],
      ['top_p', 'topP', 0.9, false, 'hint'],
      ['user', 'user', 'eve', false, 'hint'],
    ]);
  });

  it.each([
    [{ temperature: 1 }, 'temperature'],
    [{ top_p: 1 }, 'top_p'],
    [{ presence_penalty: 0 }, 'presence_penalty'],
    [{ frequency_penalty: 0 }, 'frequency_penalty'],
    [{ service_tier: 'auto' }, 'service_tier'],
    [{ service_tier: 'default' }, 'service_tier'],
    [{ store: false }, 'store'],
    [{ truncation: 'disabled' }, 'truncation'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ tools: [] }, 'tools'],
    [{ metadata: {} }, 'metadata'],
    [{ include: [] }, 'include'],
    [{ include: ['reasoning.encrypted_content'] }, 'include'],
    [{ text: { format: { type: 'text' } } }, 'text.format'],
    [{ text: { verbosity: 'medium' } }, 'text.verbosity'],
    [{ top_logprobs: 0 }, 'top_logprobs'],
    [{ parallel_tool_calls: true }, 'parallel_tool_calls'],
    [{ previous_response_id: null }, 'previous_response_id'],
    [{ reasoning: { effort: null } }, 'reasoning.effort'],
  ])('make no difference as %j', (fields, name) => {
    expect(readResponses(fields).settings).toMatchObject([{ name, isDefault: true }]);
  });

  it.each([
    ['client_metadata', { a: 'b' }, 'hint'],
    ['context_management', [{ type: 'compaction' }], 'hint'],
    ['conversation', { id: 'conv_1' }, 'meaning'],
    ['include', ['web_search_call.results'], 'hint'],
    ['include', ['message.output_text.logprobs'], 'meaning'],
    ['max_tool_calls', 3, 'hint'],
    ['previous_response_id', 'resp_1', 'meaning'],
    ['prompt', { id: 'pmpt_1' }, 'meaning'],
    ['store', true, 'hint'],
    ['top_logprobs', 2, 'meaning'],
    ['truncation', 'auto', 'hint'],
  ])('include %s as %j, which no other format has', (name, value, loss) => {
    expect(settingsOf({ [name]: value })).toEqual([[name, null, value, false, loss]]);
  });

  it.each([
    ['previous_response_id', 'resp_1', 'the earlier items in input, with store: false'],
    ['conversation', 'conv_1', 'the earlier items in input, with store: false'],
    ['prompt', { id: 'pmpt_1' }, 'instructions and input'],
    ['temperature', 0.5, null],
  ])('name for %s as %j the way out: %s', (name, value, replacement) => {
    expect(readResponses({ [name]: value }).settings).toMatchObject([{ name, replacement }]);
  });

  it('have a place for every published parameter', () => {
    const values: Record<string, unknown> = {
      background: false,
      input: [],
      metadata: { a: 'b' },
      parallel_tool_calls: true,
      reasoning: { effort: 'low' },
      stream: false,
      text: { verbosity: 'low' },
      tool_choice: 'none',
      tools: [{ type: 'web_search' }],
      temperature: 0.5,
      top_p: 0.5,
      max_output_tokens: 16,
      frequency_penalty: 1,
      presence_penalty: 1,
    };
    const fields = Object.fromEntries([...responsesParameters].map((name) => [name, values[name] ?? 'x']));
    expect(Object.keys(readResponses({ ...fields, model: 'p/m' }).providerFields)).toEqual([]);
  });
});
