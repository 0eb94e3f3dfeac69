/** Tests what only callers of other formats than Messages can say; `count-tokens.test.ts` covers the rest. */
import { describe, expect, it } from 'vitest';
import type { MediaPart } from '#lambdas/inference/completion/content.ts';
import type { CustomCall } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { renderCountedInput } from '#lambdas/inference/providers/openai/over-responses/counted-input.ts';
import {
  assistant,
  call,
  functionTool,
  neutralRequest,
  result,
  user,
} from '#test/support/providers/neutral-request.ts';

const render = (fields: Partial<CompletionRequest>) =>
  renderCountedInput(neutralRequest(fields), { provider: 'openai', model: 'gpt-5.2' });

const mediaPart = (
  medium: MediaPart['medium'],
  source: MediaPart['source'],
  detail: string | null,
): MediaPart => ({
  type: 'media',
  medium,
  source,
  filename: null,
  detail,
  cacheControl: null,
  param: 'messages[0].content[0]',
});

describe('renderCountedInput', () => {
  it('renders custom tools, hosted tools and functions without parameters', () => {
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const custom = { type: 'custom', namespace: null, param: 'tools' } as const;
    expect(
      render({
        turns: [],
        tools: [
          functionTool('go'),
          { ...custom, name: 'patch', description: 'Patches', format: grammar },
          { ...custom, name: 'note', description: null, format: null },
          { type: 'hosted', definition: { type: 'web_search' }, api: 'responses', param: 'tools' },
        ],
        choice: { mode: 'auto' },
      }),
    ).toEqual({
      model: 'gpt-5.2',
      input: [],
      tools: [
        { type: 'function', name: 'go', parameters: null, strict: false },
        { type: 'custom', name: 'patch', description: 'Patches', format: grammar },
        { type: 'custom', name: 'note' },
        { type: 'web_search' },
      ],
      tool_choice: 'auto',
    });
  });

  it('renders calls of custom tools, and gives calls ids that are unique and not too long', () => {
    const custom: CustomCall = {
      type: 'custom_call',
      id: 'c',
      name: 'patch',
      namespace: null,
      input: 'a',
      cacheControl: null,
      payload: null,
      param: 'x',
    };
    const long = 'x'.repeat(41);
    const { input } = render({
      turns: [
        user('Hi'),
        assistant(call('a'), custom, call(long)),
        user(result('a'), result(long)),
        assistant(call('a')),
        user(result('a')),
      ],
    });
    const shortened = expect.stringMatching(/^call_[\da-f]{32}$/);
    expect(input).toMatchObject([
      { type: 'message' },
      { type: 'function_call', call_id: 'a' },
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'a' },
      { type: 'function_call', call_id: shortened },
      { type: 'function_call_output', call_id: 'a' },
      { type: 'function_call_output', call_id: shortened },
      { type: 'function_call', call_id: 'a_2' },
      { type: 'function_call_output', call_id: 'a_2' },
    ]);
  });

  it.each<[CompletionRequest['responseFormat'], object]>([
    [{ type: 'json_object' }, { type: 'json_object' }],
    [
      { type: 'json_schema', name: 'city', description: 'A city', schema: {}, strict: null },
      { type: 'json_schema', name: 'city', description: 'A city', schema: {} },
    ],
  ])('renders the format %j', (responseFormat, format) => {
    expect(render({ responseFormat })).toMatchObject({ text: { format } });
  });

  it('renders the detail of an image', () => {
    const source = { kind: 'url', url: 'https://x.example/y.png' } as const;
    const image = mediaPart('image', source, 'low');
    expect(render({ turns: [{ role: 'user', toolResults: [], parts: [image] }] }).input).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: source.url, detail: 'low' }],
      },
    ]);
  });

  it.each(['audio', 'video'] as const)('refuses %s', (medium) => {
    const source = { kind: 'base64', mediaType: `${medium}/mp4`, data: 'AAAA' } as const;
    const media = mediaPart(medium, source, null);
    expect(() => render({ turns: [{ role: 'user', toolResults: [], parts: [media] }] })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'messages[0].content[0]' }),
    );
  });
});
