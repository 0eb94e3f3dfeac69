import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { TopBudgets } from '#dashboard/overview/panels/budgets-panel.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, texts } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const budget: BudgetSummary = {
  api_key_id: null,
  api_key_name: null,
  period: 'month',
  amount_usd: '100',
  hard: true,
  allow_unpriced: false,
  state: 'active',
  period_start: '2026-11-01T00:00:00Z',
  period_end: '2026-12-01T00:00:00Z',
  spent_usd: '0',
  reserved_usd: '0',
  spent_percent: 0,
  refused_requests: 0,
};

/** The percentages of the listed budgets, and the texts below or instead of them. */
async function shownOf(percentages: (number | null)[], complete = true) {
  const data = percentages.map((percent, index) => ({
    ...budget,
    api_key_id: `key_${index}`,
    spent_percent: percent,
  }));
  const ranking = { budgets: percentages.length, complete };
  const panel = await renderOnPage(createElement(TopBudgets, { list: { data, ranking } }));
  const lines = texts(panel, 'li').map((text) => /\d+(?=%)/.exec(text)?.[0]);
  return [lines, texts(panel, 'p').filter((text) => /^(No|Of)/.test(text))];
}

describe('The budgets of the overview', () => {
  it('are those of the list of which 80 % are spent', async () => {
    expect(await shownOf([112, 80, 79])).toEqual([['112', '80'], []]);
  });

  it('are also those that refuse requests, with the reason', async () => {
    const data = [{ ...budget, refused_requests: 3 }];
    const panel = await renderOnPage(createElement(TopBudgets, { list: { data, ranking: null } }));
    expect(texts(panel, 'li')[0]).toMatch(
      /3 requests were refused: each might have cost more than was left$/,
    );
  });

  it('lead to the refused requests, or to all budgets', async () => {
    const data = [
      { ...budget, spent_percent: 90, refused_requests: 3 },
      { ...budget, spent_percent: 85, period: 'day' as const },
    ];
    const panel = await renderOnPage(createElement(TopBudgets, { list: { data, ranking: null } }));
    expect(all(panel, 'a').map(({ attributes }) => attributes.href)).toEqual([
      '/organizations/org_1/logs?range=month&time_zone=UTC&outcome=rejected&error_code=insufficient_quota',
      '/organizations/org_1/budgets',
    ]);
  });

  it('say that none is close to its limit, or that there are none', async () => {
    expect(await shownOf([79, null])).toEqual([[], ['No budget is close to its limit, or refuses requests']]);
    expect(await shownOf([])).toEqual([[], ['No budgets are set']]);
  });

  it('say that not all budgets have been compared', async () => {
    const note = 'Of the organization and its 1,000 newest keys with budgets.';
    expect(await shownOf([95], false)).toEqual([['95'], [note]]);
    expect(await shownOf([5], false)).toEqual([
      [],
      ['No budget is close to its limit, or refuses requests', note],
    ]);
  });
});
