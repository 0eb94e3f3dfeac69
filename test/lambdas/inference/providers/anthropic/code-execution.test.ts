import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { counts, message } from '#test/support/providers/anthropic/billing.ts';
import { completionFor, streamFor } from '#test/support/providers/anthropic/call.ts';
import { toMessageEvents } from '#test/support/providers/anthropic/message-events.ts';

describe('Code execution in Anthropic messages', () => {
  const container = { id: 'container_1', expires_at: '2026-11-22T12:00:00Z' };
  const call = (name: string, callerType = 'direct') => ({
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name,
    input: {},
    caller: { type: callerType },
  });

  it.each<[string, JsonObject, string[]]>([
    ['a call of code_execution', { content: [call('code_execution')] }, ['code_execution']],
    ['a call of bash_code_execution', { content: [call('bash_code_execution')] }, ['code_execution']],
    [
      'a result',
      { content: [{ type: 'text_editor_code_execution_tool_result', content: {} }] },
      ['code_execution'],
    ],
    ['a container', { container }, ['code_execution']],
    [
      'a web search beside it',
      { container, content: [call('code_execution'), call('web_search')] },
      ['code_execution'],
    ],
    [
      'code that calls a tool of the caller',
      { container, content: [{ ...call('weather', 'code_execution_20250825'), type: 'tool_use' }] },
      ['code_execution'],
    ],
    [
      'code that calls another tool of Anthropic',
      { container, content: [call('tool_search_tool_regex', 'code_execution_20260120')] },
      ['code_execution'],
    ],
    [
      'code that filters web pages',
      { container, content: [call('code_execution'), call('web_fetch', 'code_execution_20260120')] },
      [],
    ],
    [
      "a tool of the caller with the name of Anthropic's tool",
      { content: [{ ...call('code_execution'), type: 'tool_use' }] },
      [],
    ],
    ['neither a container nor a call', { container: null, content: [call('web_search')] }, []],
  ])('reports container hours as a pricing gap, unless they are free: %s', async (_, fields, pricingGaps) => {
    const response = message({ usage: counts(5, 3), ...fields });

    expect((await completionFor(response)).facts.pricingGaps).toEqual(pricingGaps);
    expect((await streamFor(toMessageEvents(response))).facts.pricingGaps).toEqual(pricingGaps);
  });

  it('reports code execution before the end of a stream', async () => {
    const response = message({ usage: counts(5, 3), content: [call('code_execution')] });

    const { facts } = await streamFor(toMessageEvents(response).slice(0, 2));

    expect(facts.pricingGaps).toEqual(['code_execution']);
  });
});
