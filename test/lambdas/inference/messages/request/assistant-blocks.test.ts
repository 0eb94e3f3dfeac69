import { describe, expect, it } from 'vitest';
import type { AssistantPart } from '#lambdas/inference/completion/conversation.ts';
import { readMessages } from '#test/support/messages/read.ts';

const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });

function read(content: readonly object[]): { parts: AssistantPart[]; omissions: readonly string[] } {
  const { turns, omissions } = readMessages({ messages: [{ role: 'assistant', content }] }, 'google');
  const messages = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
  return { parts: messages.flatMap(({ parts }) => parts), omissions };
}

describe('Tools that Anthropic has run earlier', () => {
  it('are left out with their results and reported, while the text and the calls around them stay', () => {
    const { parts, omissions } = read([
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'bash_code_execution_tool_result', tool_use_id: 's', content: {} },
      { type: 'text', text: 'Rain' },
      use('a'),
      { type: 'server_tool_use', id: 't', name: 'web_fetch', input: {} },
    ]);
    expect(parts).toMatchObject([
      { type: 'text', text: 'Rain', param: 'messages.0.content.3' },
      { type: 'call', id: 'a', param: 'messages.0.content.4' },
    ]);
    expect(omissions).toEqual([
      'messages.content.server_tool_use',
      'messages.content.web_search_tool_result',
      'messages.content.bash_code_execution_tool_result',
    ]);
  });
});

describe('A message with very many blocks', () => {
  const count = 100_000;

  it.each([
    { type: 'text', text: 'a' },
    { type: 'thinking', thinking: 'a', signature: 'gateway/google/text//google/signature/x;' },
    { type: 'thinking', thinking: 'a', signature: 'EqQB' },
    use('a'),
  ])('has as many parts: $type', (block) => {
    expect(read(Array.from({ length: count }, () => block)).parts.length).toBe(count);
  });

  it('has the data of very many signatures in one of them', () => {
    const signature = 'gateway/google/thinking//google/signature/x;'.repeat(count / 2);
    expect(read([{ type: 'thinking', thinking: 'a', signature }]).parts.length).toBe(count / 2);
  });
});
