import { describe, expect, it } from 'vitest';
import { hasProviderTools, promptOf } from '#lambdas/inference/messages/prompt.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

describe('The prompt of a Messages request', () => {
  it('has the text of the system prompt, the messages, tool calls and their results', () => {
    const prompt = promptOf({
      system: [{ type: 'text', text: 'ab' }],
      messages: [
        { role: 'user', content: 'cäd' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'ef', signature: 'long' },
            { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'g' }] },
            { type: 'document', source: { type: 'text', data: 'hi' } },
          ],
        },
      ],
    });

    expect(prompt.textBytes()).toBe(
      'ab'.length + 4 + 'ef'.length + '{"a":1}'.length + 'g'.length + 'hi'.length,
    );
    expect(prompt.hasAttachments()).toBe(true);
  });

  it.each<[unknown, boolean]>([
    ['text', false],
    [[{ type: 'text', text: 'Hi' }], false],
    [[{ type: 'image', source: {} }], true],
    [[{ type: 'tool_result', content: [{ type: 'image', source: {} }] }], true],
  ])('with the content %j has attachments: %s', (content, hasAttachments) => {
    expect(promptOf({ messages: [{ role: 'user', content }] }).hasAttachments()).toBe(hasAttachments);
  });

  it.each<[JsonObject, boolean]>([
    [{}, false],
    [
      {
        tools: [
          { name: 'add', input_schema: {} },
          { type: 'custom', name: 'sub' },
        ],
      },
      false,
    ],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, true],
    [{ mcp_servers: [{ type: 'url', url: 'https://mcp.test' }] }, true],
  ])('of %j may run tools of the provider: %s', (body, expected) => {
    expect(hasProviderTools(body)).toBe(expected);
  });
});
