import { describe, expect, it } from 'vitest';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';

async function parametersFor(request: Record<string, unknown>) {
  const { body, ignoredParameters } = await callAnthropic(request);
  const { thinking, output_config, temperature, top_p, top_k } = body;
  const parameters = Object.entries({ thinking, output_config, temperature, top_p, top_k });
  return {
    ...Object.fromEntries(parameters.filter(([, value]) => value !== undefined)),
    ...(ignoredParameters.length > 0 && { ignored: ignoredParameters }),
  };
}

const adaptive = { type: 'adaptive', display: 'summarized' };
const tools = [{ type: 'function', function: { name: 'weather' } }];

describe('max_tokens for Anthropic', () => {
  it.each([
    ['claude-opus-5-5', 128_000],
    ['claude-fable-5-1', 128_000],
    ['claude-haiku-5-5', 128_000],
    ['claude-of-the-future-9', 128_000],
    ['claude-sonnet-4-6', 128_000],
    ['claude-opus-4-5-20251101', 64_000],
    ['claude-haiku-4-5', 64_000],
    ['claude-sonnet-4-20250514', 64_000],
    ['claude-3-7-sonnet-20250219', 64_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-3-5-haiku-20241022', 8_192],
    ['claude-3-haiku-20240307', 4_096],
    ['another-model', 4_096],
  ])('sets max_tokens to the maximum output of %s by default: %d', async (model, maxTokens) => {
    expect((await callAnthropic({ model })).body.max_tokens).toBe(maxTokens);
  });

  it.each([
    [{ max_tokens: 10 }, 10],
    [{ max_completion_tokens: 20, max_tokens: 10 }, 20],
    [{ max_tokens: 1_000_000 }, 1_000_000],
  ])('sends the output limit of the request unchanged: %j', async (limit, maxTokens) => {
    expect((await callAnthropic(limit)).body.max_tokens).toBe(maxTokens);
  });
});

describe('reasoning_effort for Anthropic', () => {
  it.each([
    ['claude-opus-5-5', 'high', { thinking: adaptive, output_config: { effort: 'high' } }],
    ['claude-opus-5-5', 'xhigh', { thinking: adaptive, output_config: { effort: 'xhigh' } }],
    ['claude-opus-4-8', 'minimal', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-sonnet-4-6', 'medium', { thinking: adaptive, output_config: { effort: 'medium' } }],
    ['claude-of-the-future-9', 'low', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-haiku-4-5', 'low', { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    ['claude-sonnet-4-5', 'high', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['claude-opus-4-1-20250805', 'xhigh', { thinking: { type: 'enabled', budget_tokens: 25_600 } }],
    ['claude-3-haiku-20240307', 'low', { ignored: ['reasoning_effort'] }],
  ])('translates reasoning_effort for %s: %s', async (model, reasoning_effort, expected) => {
    expect(await parametersFor({ model, reasoning_effort })).toEqual(expected);
  });

  it.each([
    ['claude-opus-5', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-4-6', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' } }],
    ['claude-haiku-4-5', {}],
    ['claude-opus-5-5', { ignored: ['reasoning_effort'] }],
    ['claude-fable-5', { ignored: ['reasoning_effort'] }],
  ])('translates reasoning_effort none for %s', async (model, expected) => {
    expect(await parametersFor({ model, reasoning_effort: 'none' })).toEqual(expected);
  });

  it('limits the thinking budget to four fifths of max_tokens', async () => {
    const parametersWithLimit = (max_tokens: number) =>
      parametersFor({ model: 'claude-haiku-4-5', reasoning_effort: 'high', max_tokens });

    expect(await parametersWithLimit(4000)).toEqual({ thinking: { type: 'enabled', budget_tokens: 3200 } });
    expect(await parametersWithLimit(1280)).toEqual({ thinking: { type: 'enabled', budget_tokens: 1024 } });
    expect(await parametersWithLimit(1279)).toEqual({ ignored: ['reasoning_effort'] });
  });

  it('sends no thinking when a tool call is forced', async () => {
    const forced = { reasoning_effort: 'low', tools, tool_choice: 'required' };

    expect(await parametersFor({ model: 'claude-haiku-4-5', ...forced })).toEqual({
      ignored: ['reasoning_effort'],
    });
    expect(await parametersFor({ model: 'claude-opus-4-8', ...forced })).toEqual({
      output_config: { effort: 'low' },
    });
  });

  it('enables thinking with a budget only if the last tool call has its thinking blocks', async () => {
    const messages = (extra: object) => [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        ...extra,
      },
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
    ];
    const parametersInToolLoop = (model: string, extra: object) =>
      parametersFor({ model, reasoning_effort: 'low', tools, messages: messages(extra) });
    const thinking_blocks = [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }];

    expect(await parametersInToolLoop('claude-haiku-4-5', {})).toEqual({ ignored: ['reasoning_effort'] });
    expect(await parametersInToolLoop('claude-haiku-4-5', { thinking_blocks })).toEqual({
      thinking: { type: 'enabled', budget_tokens: 4096 },
    });
    expect(await parametersInToolLoop('claude-opus-5-5', {})).toEqual({
      thinking: adaptive,
      output_config: { effort: 'low' },
    });
  });

  it('prefers the thinking field over reasoning_effort, which is reported as ignored', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 };

    expect(await parametersFor({ reasoning_effort: 'low', thinking })).toEqual({
      thinking,
      ignored: ['reasoning_effort'],
    });
  });
});

describe('Sampling parameters for Anthropic', () => {
  const all = { temperature: 0.2, top_p: 0.9, top_k: 10 };

  it.each([
    ['claude-haiku-4-5', all, { temperature: 0.2, top_k: 10, ignored: ['top_p'] }],
    ['claude-haiku-4-5', { top_p: 0.9 }, { top_p: 0.9 }],
    ['claude-haiku-4-5', { temperature: 1, top_p: 0.9 }, { top_p: 0.9 }],
    ['claude-haiku-4-5', { temperature: 1.8 }, { temperature: 1.8 }],
    ['claude-haiku-4-5', { temperature: 0 }, { temperature: 0 }],
    ['claude-opus-5-5', all, { ignored: ['temperature', 'top_p', 'top_k'] }],
    ['claude-opus-5-5', { temperature: 1, top_p: 1 }, {}],
  ])('sends %s only the sampling parameters it supports: %j', async (model, request, expected) => {
    expect(await parametersFor({ model, ...request })).toEqual(expected);
  });

  it('ignores and reports sampling parameters when thinking is enabled', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 };

    expect(await parametersFor({ reasoning_effort: 'low', temperature: 0.2 })).toMatchObject({
      ignored: ['temperature'],
    });
    expect(await parametersFor({ thinking, temperature: 0.2 })).toEqual({
      thinking,
      ignored: ['temperature'],
    });
  });
});

describe('The end user for Anthropic', () => {
  it.each([
    ['user-1', { user_id: 'user-1' }],
    ['f3a1c2d4-0000-4000-8000-123456789012', { user_id: 'f3a1c2d4-0000-4000-8000-123456789012' }],
    ['ada@home', { user_id: 'ada@home' }],
    ['123456', { user_id: '123456' }],
    ['1234567890123456789012', { user_id: '1234567890123456789012' }],
    ['x'.repeat(256), { user_id: 'x'.repeat(256) }],
    ['x'.repeat(257), undefined],
    ['ada@example.com', undefined],
    ['Ada <ada@example.com>', undefined],
    ['+49 30 1234567', undefined],
    ['(030) 123-4567', undefined],
  ])('is sent unless Anthropic refuses it, which is reported: %s', async (user, metadata) => {
    const sent = await callAnthropic({ user });
    const preferred = await callAnthropic({ user: 'other', safety_identifier: user });

    expect(sent.body.metadata).toEqual(metadata);
    expect(preferred.body.metadata).toEqual(metadata);
    expect(sent.ignoredParameters).toEqual(metadata === undefined ? ['user'] : []);
    expect(preferred.ignoredParameters).toEqual(metadata === undefined ? ['safety_identifier'] : []);
  });
});
