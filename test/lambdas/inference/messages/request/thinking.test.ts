import { describe, expect, it } from 'vitest';
import { readMessages } from '#test/support/messages/read.ts';

describe('The effort', () => {
  const enabled = (budget_tokens: number) => ({ type: 'enabled', budget_tokens });

  it.each([
    [{ thinking: enabled(1024) }, 'low'],
    [{ thinking: enabled(8191) }, 'low'],
    [{ thinking: enabled(8192) }, 'medium'],
    [{ thinking: enabled(16_384) }, 'high'],
    [{ thinking: enabled(63_999) }, 'high'],
    [{ thinking: { type: 'adaptive' } }, 'high'],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, 'xhigh'],
    [{ thinking: enabled(1024), output_config: { effort: 'max' } }, 'max'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'between_tools' } }, 'none'],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }, 'none'],
    [{ output_config: { effort: 'low' } }, 'low'],
    [{ thinking: null, output_config: { effort: null } }, null],
  ])('of %j is %s', (fields, effort) => {
    expect(readMessages({ max_tokens: 64_000, ...fields }).reasoningEffort).toBe(effort);
  });

  it.each([
    [{ output_config: { effort: 'low' } }, 'output_config.effort'],
    [{ thinking: enabled(1024) }, 'thinking'],
  ])('is reported under the name that %j gives it', (fields, name) => {
    expect(readMessages(fields).names.reasoningEffort).toBe(name);
  });
});

describe('The budget of thinking', () => {
  const lowered = ['thinking.budget_tokens'];

  it.each([
    [{ type: 'enabled', budget_tokens: 1024 }, 1025, 1024, []],
    [{ type: 'enabled', budget_tokens: 1025 }, 1025, 820, lowered],
    [{ type: 'enabled', budget_tokens: 31_999 }, 20_000, 16_000, lowered],
    // A request to count tokens has no limit.
    [{ type: 'enabled', budget_tokens: 31_999 }, undefined, 31_999, []],
    [{ type: 'adaptive', budget_tokens: 31_999 }, 20_000, null, []],
    [{ type: 'disabled' }, 20_000, null, []],
    [undefined, 20_000, null, []],
  ])('%j of %s tokens is %s, lowered: %j', (thinking, max_tokens, budget, omissions) => {
    expect(readMessages({ thinking, max_tokens })).toMatchObject({ reasoningBudget: budget, omissions });
  });

  it('has the effort of the lowered budget', () => {
    const thinking = { type: 'enabled', budget_tokens: 31_999 };
    expect(readMessages({ thinking, max_tokens: 12_000 }).reasoningEffort).toBe('medium');
  });
});
