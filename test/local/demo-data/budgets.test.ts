import { expect, it } from 'vitest';
import { demoBudgets } from '#local/demo-data/budgets.ts';

const keyIds = {
  production: 'key_1',
  'support-assistant': 'key_2',
  engineering: 'key_3',
  'nightly-evaluation': 'key_4',
  ci: 'key_5',
  staging: 'key_6',
};

const entry = (created_at: string, api_key_id: string, cost_usd: string) => ({
  created_at,
  api_key_id,
  cost_usd,
});

it('sets budgets that a key has nearly used, and that the organization will exceed', () => {
  const entries = [
    entry('2026-10-31T23:59:59.999Z', 'key_2', '1000'),
    entry('2026-11-02T09:00:00.000Z', 'key_2', '18'),
    entry('2026-11-19T09:00:00.000Z', 'key_3', '70'),
    entry('2026-11-19T10:00:00.000Z', 'key_5', '0.111'),
    entry('2026-11-19T11:00:00.000Z', 'key_5', '0.222'),
    entry('2026-11-23T09:00:00.000Z', 'key_5', '0.2'),
  ];

  const budgets = demoBudgets(entries, keyIds, new Date('2026-11-23T12:00:00Z'));

  // Spent are 88.533; the full days of the last week cost 70.333, and seven days are left.
  const soft = { hard: false, allowsUnpriced: false };
  expect(budgets).toEqual([
    { key: null, period: 'month', budget: { ...soft, amountUsd: '150' } },
    { key: 'support-assistant', period: 'month', budget: { ...soft, amountUsd: '20' } },
    { key: 'ci', period: 'day', budget: { amountUsd: '0.33', hard: true, allowsUnpriced: false } },
  ]);
});

it('sets no budget of zero', () => {
  const amounts = demoBudgets([], keyIds, new Date('2026-11-01T00:00:00.001Z')).map(
    ({ budget }) => budget.amountUsd,
  );
  expect(amounts).toEqual(['0.01', '0.01', '0.01']);
});
