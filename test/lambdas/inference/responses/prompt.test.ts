import { describe, expect, it } from 'vitest';
import { hasProviderTools, promptOf } from '#lambdas/inference/responses/prompt.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

describe('The prompt of a Responses request', () => {
  it('has the text of instructions, messages, calls, their results and reasoning', () => {
    const prompt = promptOf({
      instructions: 'ab',
      input: [
        { role: 'user', content: 'cäd' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ef' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'g' }], encrypted_content: 'long' },
        { type: 'function_call', name: 'add', arguments: '{"a":1}' },
        { type: 'function_call_output', output: 'h' },
        { type: 'function_call_output', output: [{ type: 'input_text', text: 'i' }] },
        { type: 'custom_tool_call', input: 'jk' },
      ],
    });

    expect(prompt.textBytes()).toBe('ab'.length + 4 + 'efg{"a":1}hijk'.length);
    expect(prompt.hasAttachments()).toBe(false);
  });

  it('can be a string', () => {
    expect(promptOf({ input: 'Hello' }).textBytes()).toBe(5);
  });

  it.each<[unknown, boolean]>([
    ['text', false],
    [[{ role: 'user', content: [{ type: 'input_image' }] }], true],
    [[{ type: 'function_call_output', output: [{ type: 'input_file' }] }], true],
    [[{ type: 'computer_call_output', output: { type: 'computer_screenshot' } }], true],
  ])('of the input %j has attachments: %s', (input, hasAttachments) => {
    expect(promptOf({ input }).hasAttachments()).toBe(hasAttachments);
  });

  it.each<[JsonObject, boolean]>([
    [{}, false],
    [{ tools: [{ type: 'function' }, { type: 'custom' }, { type: 'namespace' }] }, false],
    [{ tools: [{ type: 'web_search' }] }, true],
    [{ tools: [{ type: 'mcp' }] }, true],
  ])('of %j may run tools of the provider: %s', (body, expected) => {
    expect(hasProviderTools(body)).toBe(expected);
  });
});
