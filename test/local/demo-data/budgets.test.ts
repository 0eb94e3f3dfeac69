import { expect, it } from 'vitest';
import { demoBudgets } from '#local/demo-data/budgets.ts';
import type { DemoKeyName } from '#local/demo-data/workloads.ts';
import { demoKeys } from './demo-keys.ts';

const keys = demoKeys();

const entry = (created_at: string, key: DemoKeyName, cost_usd: string) => ({
  created_at,
  api_key_id: keys[key].id,
  cost_usd,
});

it('sets budgets that a key has nearly used, and that the organization will exceed', () => {
  const entries = [
    entry('2026-10-31T23:59:59.999Z', 'support-assistant', '1000'),
    entry('2026-11-02T09:00:00.000Z', 'support-assistant', '18'),
    entry('2026-11-19T09:00:00.000Z', 'engineering', '70'),
    entry('2026-11-19T10:00:00.000Z', 'ci', '0.111'),
    entry('2026-11-19T11:00:00.000Z', 'ci', '0.222'),
    entry('2026-11-23T09:00:00.000Z', 'ci', '0.2'),
  ];

  // The last week cost 70.533, of which 30 days would cost 302.28.
  expect(demoBudgets(entries, keys, new Date('2026-11-23T12:00:00Z'))).toEqual([
    { key: null, period: 'month', hard: false, amountUsd: '285' },
    { key: 'support-assistant', period: 'month', hard: false, amountUsd: '20' },
    { key: 'ci', period: 'day', hard: true, amountUsd: '0.33' },
  ]);
});

it('sets no budget of zero', () => {
  const amounts = demoBudgets([], keys, new Date('2026-11-01T00:00:00.001Z')).map(
    ({ amountUsd }) => amountUsd,
  );
  expect(amounts).toEqual(['0.01', '0.01', '0.01']);
});
