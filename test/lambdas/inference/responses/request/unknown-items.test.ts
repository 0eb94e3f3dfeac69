import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readResponses } from '#test/support/responses/read.ts';
import { inputItemTypes } from '#test/support/responses/schema.ts';

const question = { role: 'user', content: 'Hi' };

/** The text that an item becomes, with its role, and the names that are reported. */
function readItem(item: JsonObject) {
  const { turns, omissions } = readResponses({ input: [question, item, question] });
  const texts = turns.flatMap((turn) => {
    if (turn.role === 'system') return [['system', ...turn.parts.map(({ text }) => text)]];
    const parts = turn.role === 'user' ? turn.parts : turn.messages.flatMap((message) => message.parts);
    return parts.flatMap((part) => (part.type === 'text' ? [[turn.role, part.text]] : []));
  });
  return { texts: texts.filter(([, text]) => text !== 'Hi'), omissions };
}

const own = ['message', 'reasoning', 'function_call', 'function_call_output'];
const readTypes = [...own, 'custom_tool_call', 'custom_tool_call_output'];
const toolTypes = ['additional_tools', 'tool_search_output'];
const refused = ['item_reference', 'compaction', 'compaction_trigger'];
const others = inputItemTypes.filter((type) => ![...readTypes, ...toolTypes, ...refused].includes(type));

describe('Items that no other format has', () => {
  it('are some of the published ones', () => {
    expect(others.length).toBeGreaterThan(15);
    expect(inputItemTypes).toEqual(expect.arrayContaining([...readTypes, ...toolTypes, ...refused]));
  });

  it.each(others)('are reported, with their text if they have any: %s', (type) => {
    const ids = { id: 'x_1', call_id: 'c_1', status: 'completed' };
    const withText = readItem({ type, ...ids, output: 'Rain', action: { command: ['ls', '-l'] } });
    const role = type.endsWith('_call') ? 'assistant' : 'user';
    expect(withText).toEqual({
      texts: [[role, `${type}:\nls\n-l\nRain`]],
      omissions: [`input.${type}`],
    });
    expect(readItem({ type, ...ids })).toEqual({ texts: [], omissions: [`input.${type}`] });
    const odd = { output: [null, 5, [], {}, [['x']]], action: 7, content: null, queries: {} };
    expect(readItem({ type, ...odd })).toEqual({
      texts: [[role, `${type}:\nx`]],
      omissions: [`input.${type}`],
    });
  });

  it.each<[title: string, item: JsonObject, text: [role: string, text: string]]>([
    [
      'a search of the web',
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Rain' } },
      ['assistant', 'web_search_call:\nRain'],
    ],
    [
      'a search of files',
      { type: 'file_search_call', queries: ['Rain', 'Sun'], results: [{ file_id: 'f', text: 'Wet' }] },
      ['assistant', 'file_search_call:\nRain\nSun\nWet'],
    ],
    [
      'code that ran',
      { type: 'code_interpreter_call', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
      ['assistant', 'code_interpreter_call:\n1+1\n2'],
    ],
    [
      'the output of a shell',
      {
        type: 'shell_call_output',
        call_id: 'a',
        output: [{ stdout: 'out', stderr: 'err', outcome: { type: 'exit', exit_code: 0 } }],
      },
      ['user', 'shell_call_output:\nout\nerr'],
    ],
    [
      'a call of a server of tools',
      {
        type: 'mcp_call',
        name: 'look',
        server_label: 's',
        arguments: '{"n":1}',
        output: 'Rain',
        error: null,
      },
      ['assistant', 'mcp_call:\n{"n":1}\nRain'],
    ],
    [
      'a patch',
      {
        type: 'apply_patch_call',
        call_id: 'a',
        operation: { type: 'update_file', path: 'a.ts', diff: '+1' },
      },
      ['assistant', 'apply_patch_call:\na.ts\n+1'],
    ],
    [
      'a message of another agent, with the task that a model has written',
      {
        type: 'agent_message',
        author: '/root',
        recipient: '/root/child',
        content: [
          { type: 'input_text', text: 'Message Type: NEW_TASK\nPayload:\n' },
          { type: 'encrypted_content', encrypted_content: 'Say hi' },
        ],
      },
      ['user', 'Message Type: NEW_TASK\nPayload:\n\nSay hi'],
    ],
    [
      'a message of another agent, without what OpenAI has encrypted',
      {
        type: 'agent_message',
        content: [
          { type: 'input_text', text: 'NEW_TASK' },
          { type: 'encrypted_content', encrypted_content: 'gAAAAABpM0Yj' },
        ],
      },
      ['user', 'NEW_TASK'],
    ],
    [
      'a new kind of item with a role',
      { type: 'note', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      ['system', 'Be brief.'],
    ],
    [
      'a new kind of item of the assistant',
      { type: 'note', role: 'assistant', text: 'Well' },
      ['assistant', 'note:\nWell'],
    ],
  ])('keep their text: %s', (_, item, text) => {
    expect(readItem(item)).toEqual({ texts: [text], omissions: [`input.${item.type}`] });
  });

  it('are reported once for each type', () => {
    const items = ['web_search_call', 'mcp_call', 'web_search_call'].map((type) => ({ type }));
    expect(readResponses({ input: [...items, question] }).omissions).toEqual([
      'input.web_search_call',
      'input.mcp_call',
    ]);
  });

  it('keep no images, which are large', () => {
    const { texts } = readItem({
      type: 'image_generation_call',
      status: 'completed',
      result: 'iVBORw0KGgo=',
    });
    expect(texts).toEqual([]);
  });

  it('end in a turn of the user if a message of an agent comes last', () => {
    const message = { type: 'agent_message', content: [{ type: 'input_text', text: 'FINAL_ANSWER' }] };
    const { turns } = readResponses({ input: [question, { role: 'assistant', content: 'Well' }, message] });
    expect(turns.at(-1)).toMatchObject({ role: 'user', parts: [{ text: 'FINAL_ANSWER' }] });
  });
});
