import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleClaudeModel, expectAccepted } from '#test/support/providers/bedrock/call.ts';
import { type BedrockUpstream, startBedrockUpstream } from '#test/support/providers/bedrock/upstream.ts';

let upstream: BedrockUpstream;
beforeAll(async () => {
  upstream = await startBedrockUpstream();
});
afterAll(() => upstream.stop());

const haiku3 = 'anthropic.claude-3-haiku-20240307-v1:0';
const opus41 = 'us.anthropic.claude-opus-4-1-20250805-v1:0';
const opus46 = 'us.anthropic.claude-opus-4-6-v1';
const opus47 = 'us.anthropic.claude-opus-4-7';
const opus5 = 'us.anthropic.claude-opus-5';
const opus55 = 'us.anthropic.claude-opus-5-5';
const nova = 'amazon.nova-lite-v1:0';
const nova2 = 'us.amazon.nova-2-lite-v1:0';
const gptOss = 'openai.gpt-oss-120b-1:0';
const llama = 'us.meta.llama3-3-70b-instruct-v1:0';
const mistral = 'mistral.mistral-large-2402-v1:0';
const tools = [{ type: 'function', function: { name: 'weather' } }];

async function parametersFor(request: Record<string, unknown>) {
  const { body, ignored } = await expectAccepted(upstream, request);
  const { inferenceConfig, additionalModelRequestFields } = body;
  return { inferenceConfig, additionalModelRequestFields, ignored };
}

const enabled = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
const adaptive = (effort: string) => ({
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort },
});

describe('reasoning_effort for Bedrock', () => {
  it.each<[string, string, object | undefined]>([
    [exampleClaudeModel, 'none', undefined],
    [opus46, 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    [opus46, 'none', undefined],
    [opus47, 'minimal', adaptive('low')],
    [opus47, 'max', adaptive('max')],
    [opus47, 'none', undefined],
    [opus5, 'medium', adaptive('medium')],
    [opus5, 'none', { thinking: { type: 'disabled' } }],
    [nova2, 'minimal', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    [nova2, 'medium', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
    [nova2, 'none', undefined],
    [gptOss, 'high', { reasoning_effort: 'high' }],
    [haiku3, 'none', undefined],
  ])('translates reasoning_effort for %s: %s', async (model, reasoning_effort, fields) => {
    expect(await parametersFor({ model, reasoning_effort })).toEqual({
      inferenceConfig: undefined,
      additionalModelRequestFields: fields,
      ignored: [],
    });
  });

  it.each([
    ['minimal', 1_024],
    ['low', 4_096],
    ['medium', 8_192],
    ['high', 16_384],
    ['xhigh', 32_768],
  ])(
    'translates effort %s to a token budget of %i for a model with a thinking budget',
    async (reasoning_effort, budget) => {
      expect(await parametersFor({ reasoning_effort })).toEqual({
        inferenceConfig: { maxTokens: 64_000 },
        additionalModelRequestFields: enabled(budget),
        ignored: [],
      });
    },
  );

  it('limits the thinking budget to four fifths of max_tokens', async () => {
    const { inferenceConfig, additionalModelRequestFields } = await parametersFor({
      reasoning_effort: 'high',
      max_tokens: 2_000,
    });

    expect(inferenceConfig).toEqual({ maxTokens: 2_000 });
    expect(additionalModelRequestFields).toEqual(enabled(1_600));
  });

  const toolCall = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };
  const toolLoop = (thinking: object = {}) => [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [toolCall], ...thinking },
    { role: 'tool', tool_call_id: 'a', content: '9 °C' },
  ];
  it.each<[string, Record<string, unknown>]>([
    ['max_tokens is too small for the minimum budget', { max_tokens: 1_200 }],
    ['a tool is forced', { tools, tool_choice: 'required' }],
    ['the thinking blocks before a tool call are missing', { tools, messages: toolLoop() }],
    ['the Claude model does not support thinking', { model: haiku3 }],
    ['the model of another vendor does not support thinking', { model: llama }],
    ['the model is a first-generation Nova', { model: nova }],
  ])('ignores and reports reasoning_effort when %s', async (_, request) => {
    const { additionalModelRequestFields, ignored } = await parametersFor({
      ...request,
      reasoning_effort: 'low',
    });

    expect(additionalModelRequestFields).toBeUndefined();
    expect(ignored).toEqual(['reasoning_effort']);
  });

  it('ignores and reports effort none for a model that always thinks', async () => {
    expect((await parametersFor({ model: opus55, reasoning_effort: 'none' })).ignored).toEqual([
      'reasoning_effort',
    ]);
  });

  it('sends the effort without thinking when a newer Claude is forced to call a tool', async () => {
    const request = { model: opus47, reasoning_effort: 'low', tools, tool_choice: 'required' };

    expect(await parametersFor(request)).toEqual({
      inferenceConfig: undefined,
      additionalModelRequestFields: { output_config: { effort: 'low' } },
      ignored: [],
    });
  });

  it('enables thinking when the caller sends back the signed thinking blocks', async () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Oslo?', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'cmVk' },
      { type: 'thinking', thinking: 'unsigned' },
    ];
    const { body } = await expectAccepted(upstream, {
      messages: toolLoop({ thinking_blocks }),
      tools,
      reasoning_effort: 'low',
    });

    expect(body.additionalModelRequestFields).toEqual(enabled(4_096));
    expect(body.messages).toContainEqual({
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Oslo?', signature: 'c2ln' } } },
        { reasoningContent: { redactedContent: 'cmVk' } },
        { toolUse: { toolUseId: 'a', name: 'weather', input: {} } },
      ],
    });
  });

  it('prefers the thinking field over reasoning_effort, which is reported as ignored', async () => {
    const modelFields = { thinking: { type: 'enabled', budget_tokens: 2_000 } };

    expect(await parametersFor({ ...modelFields, reasoning_effort: 'high', max_tokens: 3_000 })).toEqual({
      inferenceConfig: { maxTokens: 3_000 },
      additionalModelRequestFields: modelFields,
      ignored: ['reasoning_effort'],
    });
  });
});

describe('Sampling parameters for Bedrock', () => {
  const all = { temperature: 0.5, top_p: 0.9, top_k: 40 };

  it.each<[string, object, object | undefined, object | undefined, string[]]>([
    [haiku3, all, { temperature: 0.5, topP: 0.9 }, { top_k: 40 }, []],
    [exampleClaudeModel, all, { temperature: 0.5 }, { top_k: 40 }, ['top_p']],
    [opus41, all, { temperature: 0.5 }, { top_k: 40 }, ['top_p']],
    [exampleClaudeModel, { temperature: 1, top_p: 0.9 }, { topP: 0.9 }, undefined, []],
    [opus47, all, undefined, undefined, ['temperature', 'top_p', 'top_k']],
    [opus47, { temperature: 1, top_p: 1 }, undefined, undefined, []],
    [nova, all, { temperature: 0.5, topP: 0.9 }, { inferenceConfig: { topK: 40 } }, []],
    [nova, { temperature: 1, top_p: 1 }, { temperature: 1, topP: 1 }, undefined, []],
    [mistral, all, { temperature: 0.5, topP: 0.9 }, { top_k: 40 }, []],
    [llama, all, { temperature: 0.5, topP: 0.9 }, undefined, ['top_k']],
  ])(
    'sends %s only the sampling parameters it supports: %j',
    async (model, request, inferenceConfig, fields, ignored) => {
      expect(await parametersFor({ model, ...request })).toEqual({
        inferenceConfig,
        additionalModelRequestFields: fields,
        ignored,
      });
    },
  );

  it('ignores and reports sampling parameters when thinking is enabled', async () => {
    expect(await parametersFor({ ...all, reasoning_effort: 'low', max_tokens: 10_000 })).toEqual({
      inferenceConfig: { maxTokens: 10_000 },
      additionalModelRequestFields: enabled(4_096),
      ignored: ['temperature', 'top_p', 'top_k'],
    });
  });

  it('ignores and reports temperature and top_p for Nova with high effort', async () => {
    expect(await parametersFor({ model: nova2, ...all, reasoning_effort: 'high' })).toEqual({
      inferenceConfig: undefined,
      additionalModelRequestFields: {
        reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
        inferenceConfig: { topK: 40 },
      },
      ignored: ['temperature', 'top_p'],
    });
  });
});
