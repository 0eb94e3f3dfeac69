import { describe, expect, it } from 'vitest';
import { toolNames } from '#lambdas/inference/providers/translation/tool-names.ts';
import { character, fc } from '#test/support/fast-check.ts';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';
import { anthropicEvent } from '#test/support/providers/anthropic/upstream.ts';
import { callBedrock, eventStreamResponse } from '#test/support/providers/bedrock/call.ts';
import { callGoogle, googleEvent } from '#test/support/providers/google/call.ts';
import { readBody, readStream } from '#test/support/providers/provider-call.ts';

const rule = { character: /[a-z0-9_]/, firstCharacter: /[a-z_]/, maxLength: 8 };
const tool = (name: string) => ({ type: 'function', function: { name } });
const renamed = (...names: string[]) => {
  const { toProvider } = toolNames({ tools: names.map(tool) }, rule);
  return names.map(toProvider);
};

describe('toolNames', () => {
  it.each([
    ['keeps accepted names', ['look', '_1'], ['look', '_1']],
    ['replaces refused characters', ['a.b', 'ü', '🙂'], ['a_b', '_', '__2']],
    ['precedes a refused first character', ['1st', ''], ['_1st', '_']],
    ['shortens long names', ['look_here_1', 'look_here_2'], ['look_her', 'look_h_2']],
    ['keeps accepted names that others would become', ['a.b', 'a_b', 'a:b'], ['a_b_2', 'a_b', 'a_b_3']],
  ])('%s', (_, names, expected) => {
    expect(renamed(...names)).toEqual(expected);
  });

  it("considers the names of earlier calls, of the tool choice and of the provider's own tools", () => {
    const messages = [{ role: 'assistant', tool_calls: [{ id: '1', ...tool('a.b') }] }];
    const tools = [{ type: 'search_20260101', name: 'a_b' }];
    const { toProvider, toCaller } = toolNames({ messages, tools, tool_choice: tool('a:b') }, rule);

    expect(['a.b', 'a:b'].map(toProvider)).toEqual(['a_b_3', 'a_b_2']);
    expect(['a_b', 'a_b_2', 'a_b_3', 'other'].map(toCaller)).toEqual(['a_b', 'a:b', 'a.b', 'other']);
  });

  it('gives all names accepted, different names and maps them back, for any names', () => {
    const name = fc.oneof(
      fc.string({ unit: character, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom('a', '_', '.', '2'), maxLength: 9 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
        const { toProvider, toCaller } = toolNames({ tools: names.map(tool) }, rule);
        const replaced = names.map(toProvider);

        expect(new Set(replaced).size).toBe(names.length);
        expect(replaced.filter((it) => !/^[a-z_][a-z0-9_]{0,7}$/.test(it))).toEqual([]);
        expect(replaced.map(toCaller)).toEqual(names);
        expect(names.filter((it) => /^[a-z_][a-z0-9_]{0,7}$/.test(it) && toProvider(it) !== it)).toEqual([]);
      }),
    );
  });
});

describe('Refused tool names', () => {
  const name = '2nd try/ü';
  const call = { id: 'c1', type: 'function', function: { name, arguments: '{}' } };
  const request = {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ],
    tools: [tool(name), tool('other')],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [tool(name)] },
    },
  };
  const streaming = { ...request, stream: true };
  const choosing = { tools: [tool(name)], tool_choice: tool(name) };

  it('are replaced for Anthropic, and mapped back in completions and streams', async () => {
    const block = { type: 'tool_use', id: 't1', name: '2nd_try__', input: {} };
    const message = { id: 'm', role: 'assistant', content: [block], stop_reason: 'tool_use' };
    const { body, ...completed } = await callAnthropic(request, { response: { body: message } });
    const events = [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'message_stop' },
    ];
    const streamed = await callAnthropic(streaming, { response: { body: events.map(anthropicEvent) } });

    expect(body.tools).toMatchObject([{ name: '2nd_try__' }]);
    expect(body.messages[1].content).toEqual([{ type: 'tool_use', id: 'c1', name: '2nd_try__', input: {} }]);
    expect((await callAnthropic(choosing)).body.tool_choice).toEqual({ type: 'tool', name: '2nd_try__' });
    expect(calledName((await readBody(completed)).text)).toBe(name);
    expect((await readStream(streamed)).assembled.choices).toMatchObject([
      { message: { tool_calls: [{ function: { name } }] } },
    ]);
  });

  it('are replaced for Bedrock, and mapped back in completions and streams', async () => {
    const toolUse = { toolUseId: 't1', name: '2nd_try__' };
    const converse = {
      output: { message: { role: 'assistant', content: [{ toolUse: { ...toolUse, input: {} } }] } },
      stopReason: 'tool_use',
    };
    const completion = await callBedrock(request, { body: converse });
    const events = [
      { messageStart: { role: 'assistant' } },
      { contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } },
      { messageStop: { stopReason: 'tool_use' } },
    ];
    const response = await callBedrock(streaming, eventStreamResponse(...events));

    expect(calledName((await readBody({ response: completion })).text)).toBe(name);
    expect((await readStream({ response })).assembled.choices).toMatchObject([
      { message: { tool_calls: [{ function: { name } }] } },
    ]);
  });

  it('are replaced for Google, and mapped back in completions and streams', async () => {
    const parts = [{ functionCall: { name: '_2nd_try__', args: {} } }];
    const generated = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
    const { body, ...completed } = await callGoogle(request, { response: { body: generated } });
    const streamed = await callGoogle(streaming, { response: { body: [googleEvent(generated)] } });

    expect(body.tools).toEqual([{ functionDeclarations: [{ name: '_2nd_try__' }] }]);
    expect(body.contents[1].parts).toMatchObject([{ functionCall: { name: '_2nd_try__' } }]);
    expect(body.contents[2].parts).toMatchObject([{ functionResponse: { name: '_2nd_try__' } }]);
    expect((await callGoogle(choosing)).body.toolConfig).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['_2nd_try__'] },
    });
    expect(calledName((await readBody(completed)).text)).toBe(name);
    expect((await readStream(streamed)).assembled.choices).toMatchObject([
      { message: { tool_calls: [{ function: { name } }] } },
    ]);
  });

  function calledName(completion: string): string {
    return JSON.parse(completion).choices[0].message.tool_calls[0].function.name;
  }
});
