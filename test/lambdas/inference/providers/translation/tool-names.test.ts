import { describe, expect, it } from 'vitest';
import { readCompletionRequest } from '#lambdas/inference/chat/request/request.ts';
import type { CompletionSink } from '#lambdas/inference/completion/sink.ts';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import {
  toolNames as namesOf,
  withCallerToolNames,
} from '#lambdas/inference/providers/translation/tool-names.ts';
import { character, fc } from '#test/support/fast-check.ts';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';
import { anthropicEvent } from '#test/support/providers/anthropic/message-events.ts';
import { callBedrock, eventStreamResponse } from '#test/support/providers/bedrock/call.ts';
import { callGoogle, googleEvent } from '#test/support/providers/google/call.ts';
import {
  assistant,
  call,
  functionTool,
  neutralRequest,
  result,
  user,
} from '#test/support/providers/neutral-request.ts';
import { readBody, readStream, startChatWriter } from '#test/support/providers/provider-call.ts';

const rule = { character: /[a-z0-9_]/, firstCharacter: /[a-z_]/, maxLength: 8 };
/** Maps the names of tools without namespaces. */
function toolNames(...parameters: Parameters<typeof namesOf>) {
  const { toProvider, toCaller } = namesOf(...parameters);
  return {
    toProvider: (name: string) => toProvider({ name, namespace: null }),
    toCaller: (name: string) => toCaller(name).name,
  };
}

const tool = (name: string) => ({ type: 'function', function: { name } });
const renamed = (...names: string[]) => {
  const { toProvider } = toolNames(readCompletionRequest({ tools: names.map(tool) }), rule);
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
    const { toProvider, toCaller } = toolNames(
      readCompletionRequest({ messages, tools, tool_choice: tool('a:b') }),
      rule,
    );

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
        const { toProvider, toCaller } = toolNames(readCompletionRequest({ tools: names.map(tool) }), rule);
        const replaced = names.map(toProvider);

        expect(new Set(replaced).size).toBe(names.length);
        expect(replaced.filter((it) => !/^[a-z_][a-z0-9_]{0,7}$/.test(it))).toEqual([]);
        expect(replaced.map(toCaller)).toEqual(names);
        expect(names.filter((it) => /^[a-z_][a-z0-9_]{0,7}$/.test(it) && toProvider(it) !== it)).toEqual([]);
      }),
    );
  });
});

describe('Tool names in a namespace', () => {
  const names = (...toolNames: [namespace: string | null, name: string][]) =>
    namesOf(neutralRequest({ toolNames: toolNames.map(([namespace, name]) => ({ namespace, name })) }), {
      ...rule,
      maxLength: 20,
    });

  it('follow that of the namespace, and are mapped back', () => {
    const { toProvider, toCaller } = names(['files', 'read'], [null, 'read'], ['web', 'read']);
    expect(toProvider({ namespace: 'files', name: 'read' })).toBe('files__read');
    expect(toProvider({ namespace: null, name: 'read' })).toBe('read');
    expect(['files__read', 'read', 'web__read'].map(toCaller)).toEqual([
      { namespace: 'files', name: 'read' },
      { namespace: null, name: 'read' },
      { namespace: 'web', name: 'read' },
    ]);
  });

  it('never equal the name of another tool', () => {
    const { toProvider, toCaller } = names(['a', 'b'], [null, 'a__b'], ['a_', 'b'], ['a', '_b']);
    expect(toProvider({ namespace: 'a', name: 'b' })).toBe('a__b_2');
    expect(toProvider({ namespace: 'a_', name: 'b' })).toBe('a___b');
    expect(toProvider({ namespace: 'a', name: '_b' })).toBe('a___b_2');
    expect(toCaller('a__b')).toEqual({ namespace: null, name: 'a__b' });
    expect(toCaller('a___b_2')).toEqual({ namespace: 'a', name: '_b' });
  });

  it('are those of the tools, the choice and the earlier calls of a request', () => {
    const tools = [functionTool('read', { namespace: 'files' })];
    const request = neutralRequest({
      tools,
      choice: { mode: 'function', name: 'read', namespace: 'files' },
      turns: [user('Hi'), assistant(call('a', { name: 'read', namespace: 'files' })), user(result('a'))],
    });
    const target = { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false };
    const { tools: sent, tool_choice, messages } = toMessagesRequest(request, target).body;
    expect([sent, tool_choice, messages]).toMatchObject([
      [{ name: 'files__read' }],
      { name: 'files__read' },
      [{}, { content: [{ name: 'files__read' }] }, {}],
    ]);
  });

  it('return with the namespace in the response', () => {
    const started: unknown[] = [];
    const { choice, ...sink } = startChatWriter();
    const recording: CompletionSink = {
      ...sink,
      choice: (index) => ({
        ...choice(index),
        toolCall(newCall) {
          started.push(newCall);
          return choice(index).toolCall(newCall);
        },
      }),
    };
    const request = neutralRequest({ tools: [functionTool('read', { namespace: 'files' })] });
    withCallerToolNames(recording, request, rule).choice(0).toolCall({ id: 'a', name: 'files__r' });
    expect(started).toEqual([{ id: 'a', name: 'read', namespace: 'files' }]);
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
