import { describe, expect, it } from 'vitest';
import { readMessages, refusalOf } from '#test/support/messages/read.ts';

const named = (name: string, description = 'Looks') => ({
  name,
  description,
  input_schema: { type: 'object', properties: {} },
});
const reference = (name: string) => ({ type: 'tool_reference', name });
const added = (tool: object) => ({ type: 'tool_addition', tool });
const removed = (name: string) => ({ type: 'tool_removal', tool: reference(name) });
const defined = (definition: object) => added({ type: 'tool_definition', definition });

/** A conversation with these blocks in a system message, after the first question. */
const changedBy = (...content: object[]) => ({
  tools: [named('look'), { ...named('find'), defer_loading: true }],
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'system', content },
    { role: 'user', content: 'And?' },
  ],
});
const offered = (...content: object[]) =>
  readMessages(changedBy(...content)).tools.map((tool) =>
    tool.type === 'hosted' ? tool.definition : [tool.name, tool.description],
  );

describe('Tools that change within a conversation', () => {
  it.each([
    ['with a definition', [defined(named('go'))], ['look', 'find', 'go']],
    ['by reference to a declared one', [added(reference('find'))], ['look', 'find']],
    ['that no one has defined', [added(reference('nosuch'))], ['look', 'find']],
    ['after they were withdrawn', [removed('look'), added(reference('look'))], ['find', 'look']],
    ['and withdrawn again', [defined(named('go')), removed('go'), removed('find')], ['look']],
    ['of an MCP server', [added({ type: 'mcp_toolset_reference', server_name: 's' })], ['look', 'find']],
  ])('are added %s', (_, content, names) => {
    expect(offered(...content)).toEqual(names.map((name) => [name, 'Looks']));
  });

  it('are replaced by a later definition with the same name', () => {
    expect(offered(defined(named('look', 'Looks again')))).toEqual([
      ['find', 'Looks'],
      ['look', 'Looks again'],
    ]);
  });

  it('leave no instruction, and keep those beside them', () => {
    const { turns, omissions } = readMessages(changedBy(removed('look')));
    expect(turns).toMatchObject([{ role: 'user', parts: [{ text: 'Hi' }, { text: 'And?' }] }]);
    expect(omissions).toEqual(['tools.defer_loading']);

    const beside = readMessages(changedBy(removed('look'), { type: 'text', text: 'Be brief' }));
    expect(beside.turns[1]).toMatchObject({ role: 'system', parts: [{ text: 'Be brief' }] });
  });

  it('are refused under their place in the conversation', () => {
    expect(refusalOf(changedBy(defined({ name: 'go' })))).toMatchObject({
      code: 'invalid_request_error',
      param: 'messages.1.content.0.tool.definition.input_schema',
    });
  });
});
