import { createElement } from 'react';
import { expect, it, vi } from 'vitest';
import { BudgetRows } from '#dashboard/budgets/budget-rows.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, textOf } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const ofKey: BudgetSummary = {
  api_key_id: 'key_1',
  api_key_name: 'batch jobs',
  period: 'day',
  period_start: '2026-11-30T00:00:00.000Z',
  period_end: '2026-12-01T00:00:00.000Z',
  amount_usd: '10',
  hard: true,
  allow_unpriced: false,
  state: 'active',
  spent_usd: '9.5',
  spent_percent: 95,
  reserved_usd: '0',
  refused_requests: 1234,
};

const rowOf = async (budget: BudgetSummary) =>
  textOf(await renderOnPage(createElement(BudgetRows, { budgets: [budget], actions: null })));

const linksOf = async (budget: BudgetSummary) =>
  all(await renderOnPage(createElement(BudgetRows, { budgets: [budget], actions: null })), 'a').map(
    (link) => [textOf(link), link.attributes.href],
  );

it('A budget leads to the requests that it has refused in its period of UTC', async () => {
  const [, refused] = await linksOf(ofKey);
  const [ofOrganization] = await linksOf({
    ...ofKey,
    api_key_id: null,
    api_key_name: null,
    period: 'month',
    refused_requests: 1,
  });

  expect(refused).toEqual([
    '1,234 requests were refused',
    '/organizations/org_1/logs?range=today&time_zone=UTC&outcome=rejected&error_code=insufficient_quota&api_key_id=key_1',
  ]);
  expect(ofOrganization).toEqual([
    '1 request was refused',
    '/organizations/org_1/logs?range=month&time_zone=UTC&outcome=rejected&error_code=insufficient_quota',
  ]);
});

it('A budget that refuses requests says why, and not that all is well', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-30T12:00:00Z'), toFake: ['Date'] });
  try {
    const unspent = { ...ofKey, spent_usd: '0', spent_percent: 0 };
    expect(await rowOf({ ...unspent, refused_requests: 0 })).toContain('Within budget');
    const refusing = await rowOf({ ...unspent, refused_requests: 3 });
    expect(refusing).toContain('3 requests were refused: each might have cost more than was left');
    expect(refusing).toContain('Expected by the end of the day: $0.00');
    expect(refusing).not.toContain('Within budget');
    expect(await rowOf({ ...unspent, refused_requests: 1 })).toContain(
      '1 request was refused: it might have cost more than was left',
    );
  } finally {
    vi.useRealTimers();
  }
});

it('A budget that has refused nothing says nothing of it', async () => {
  expect(await linksOf({ ...ofKey, refused_requests: 0 })).toHaveLength(1);
});

it('A budget says whether it is a hard limit', async () => {
  const textOfRows = async (hard: boolean) =>
    textOf(await renderOnPage(createElement(BudgetRows, { budgets: [{ ...ofKey, hard }], actions: null })));
  expect(await textOfRows(false)).toContain('No hard limit');
  expect(await textOfRows(true)).not.toContain('No hard limit');
});
