import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import {
  barShares,
  ownerName,
  periodAdjective,
  resetText,
  SpendingBar,
  spendingLevel,
} from '#dashboard/components/spending-bar.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, render } from '../rendering/markup.ts';

const budget = { amount_usd: '200', spent_usd: '50', reserved_usd: '20', spent_percent: 25 };

describe('The spending of a budget', () => {
  it.each([
    [null, 'normal'],
    [79, 'normal'],
    [80, 'high'],
    [99, 'high'],
    [100, 'exceeded'],
    [164, 'exceeded'],
  ])('at %s percent is %s', (percent, level) => {
    expect(spendingLevel({ ...budget, spent_percent: percent })).toBe(level);
  });

  it.each([
    ['half', budget, { spent: 25, reserved: 10 }],
    ['a trace', { ...budget, spent_usd: '0.000001', reserved_usd: '0' }, { spent: 1.5, reserved: 0 }],
    ['more than there is', { ...budget, spent_usd: '190', reserved_usd: '50' }, { spent: 95, reserved: 5 }],
    ['too much', { ...budget, spent_usd: '300' }, { spent: 100, reserved: 0 }],
    ['corrected', { ...budget, spent_usd: '-3', reserved_usd: '0' }, { spent: 0, reserved: 0 }],
    ['unknown', { ...budget, spent_usd: null, reserved_usd: null }, { spent: 0, reserved: 0 }],
  ])('is drawn: %s', (_case, spending, shares) => {
    expect(barShares(spending)).toEqual(shares);
  });

  it('begins anew at midnight UTC', () => {
    expect(resetText('2026-12-01T00:00:00.000Z', 'en-GB')).toBe('Resets 1 Dec 2026, 00:00 UTC');
  });

  it('has a bar of what is spent and, lighter, of what is reserved', () => {
    const bar = createElement(SpendingBar, {
      budget: { ...budget, spent_percent: 80 } as BudgetSummary,
      className: '',
    });
    const parts = all(render(bar), 'rect').map(({ attributes: { x, width, opacity } }) => [
      x,
      width,
      opacity,
    ]);
    expect(parts).toEqual([
      [undefined, '25', undefined],
      ['25', '10', '0.35'],
    ]);
  });
});

describe('A budget', () => {
  it.each([
    [{ api_key_id: null, api_key_name: null }, 'Acme'],
    [{ api_key_id: 'key_1', api_key_name: 'production' }, 'production'],
    [{ api_key_id: 'key_1', api_key_name: null }, 'key_1'],
  ])('of %j is that of %s', (owner, name) => {
    expect(ownerName(owner as BudgetSummary, 'Acme')).toBe(name);
  });

  it('is daily or monthly', () => {
    const adjectives = (['day', 'month'] as const).map((period) =>
      periodAdjective({ period } as BudgetSummary),
    );
    expect(adjectives).toEqual(['daily', 'monthly']);
  });
});
