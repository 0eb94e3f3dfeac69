import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { forecastOf } from '#dashboard/budgets/forecast.ts';
import { reachedText } from '#dashboard/budgets/forecast-line.tsx';
import { Outlook } from '#dashboard/budgets/outlook.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, textOf } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const ofMonth: BudgetSummary = {
  api_key_id: null,
  api_key_name: null,
  period: 'month',
  period_start: '2026-11-01T00:00:00.000Z',
  period_end: '2026-12-01T00:00:00.000Z',
  amount_usd: '500',
  hard: true,
  allow_unpriced: false,
  state: 'active',
  spent_usd: '300',
  spent_percent: 60,
  reserved_usd: '0',
  refused_requests: 0,
};
const ofKey: BudgetSummary = { ...ofMonth, api_key_id: 'key_1', api_key_name: 'batch jobs' };

const now = new Date('2026-11-16T00:00:00Z');

describe('The forecast of a budget', () => {
  it('goes on as in the elapsed part of the period', () => {
    // Half of the month.
    expect(forecastOf(ofMonth, now)).toEqual({
      expectedUsd: '600',
      percent: 120,
      verdict: 'above',
      reachedAt: new Date('2026-11-26T00:00:00Z'),
    });
    expect(forecastOf({ ...ofMonth, amount_usd: '600' }, now)).toMatchObject({
      percent: 100,
      verdict: 'within',
      reachedAt: null,
    });
    expect(forecastOf({ ...ofKey, spent_usd: '0' }, now)).toEqual({
      expectedUsd: '0',
      percent: 0,
      verdict: 'within',
      reachedAt: null,
    });
  });

  it('waits for a tenth of the period, and for the spend', () => {
    expect(forecastOf(ofKey, new Date('2026-11-03T23:59:59Z'))).toBeNull();
    expect(forecastOf(ofKey, new Date('2026-11-04T00:00:00Z'))).not.toBeNull();
    expect(forecastOf({ ...ofKey, spent_usd: null }, now)).toBeNull();
  });

  it('knows a budget that is spent', () => {
    expect(forecastOf({ ...ofKey, spent_usd: '500' }, now)).toMatchObject({
      expectedUsd: '1000',
      verdict: 'spent',
      reachedAt: null,
    });
  });

  it('names the day, and of a daily budget the time', () => {
    const at = new Date('2026-11-26T14:30:00Z');
    expect(reachedText(ofKey, at, 'en-GB')).toBe('26 Nov');
    expect(reachedText({ ...ofKey, period: 'day' }, at, 'en-GB')).toBe('14:30 UTC');
  });
});

describe('The view of budgets', () => {
  const outlook = async (budgets: BudgetSummary[], at = now) => {
    vi.useFakeTimers({ now: at, toFake: ['Date'] });
    try {
      return textOf(await renderOnPage(createElement(Outlook, { budgets })));
    } finally {
      vi.useRealTimers();
    }
  };
  const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }).format(
    new Date(2026, 10, 26),
  );

  it('says whether the month stays within its budget, and which others do not', async () => {
    expect(await outlook([ofMonth, ofKey])).toContain(
      `This month's budget is expected to be reached about ${day}` +
        '$600.00 of $500.00 expected by the end of the month. Requests that might exceed it are refused.' +
        `Others that reach their limit: batch jobs (monthly, about ${day}).`,
    );
    const within = await outlook([
      { ...ofMonth, spent_usd: '200' },
      { ...ofKey, spent_usd: '1' },
    ]);
    expect(within).toContain('This month is expected to stay within its budget$400.00 of $500.00');
    expect(within).not.toContain('Others');
    expect(within).not.toContain('refused');
  });

  it('names the budgets that refuse requests, and does not say that the month is well if its own does', async () => {
    const [month, key] = [
      { ...ofMonth, spent_usd: '200' },
      { ...ofKey, spent_usd: '0', refused_requests: 1234 },
    ];
    const named = 'Budgets with too little left for some requests, which were refused: ';
    const ofOther = await outlook([month, key]);
    expect(ofOther).toContain('This month is expected to stay within its budget');
    expect(ofOther).toContain(`${named}batch jobs (monthly, 1,234 requests).`);

    const ofBoth = await outlook([{ ...month, refused_requests: 1 }, key]);
    expect(ofBoth).toContain("This month's budget is not spent, but 1 request was refused$400.00 of $500.00");
    expect(ofBoth).toContain(
      `${named}the organization (monthly, 1 request), batch jobs (monthly, 1,234 requests).`,
    );
  });

  it('is marked as well only if no budget refuses requests', async () => {
    const marks = async (refused_requests: number) => {
      const key = { ...ofKey, spent_usd: '0', refused_requests };
      vi.useFakeTimers({ now, toFake: ['Date'] });
      try {
        const budgets = [{ ...ofMonth, spent_usd: '200' }, key];
        const notice = await renderOnPage(createElement(Outlook, { budgets }));
        return all(notice, 'svg').map(
          ({ attributes }) => /text-(success|warning)/.exec(attributes.class ?? '')?.[1],
        );
      } finally {
        vi.useRealTimers();
      }
    };
    expect([await marks(0), await marks(1)]).toEqual([['success'], ['warning']]);
  });

  it.each([
    ['No forecast of the month yet', [ofMonth], new Date('2026-11-02T00:00:00Z')],
    ["This month's budget is spent", [{ ...ofMonth, spent_usd: '500' }], now],
    ['The organization has no monthly budget', [ofKey], now],
  ])('says "%s"', async (text, budgets, at) => {
    expect(await outlook(budgets, at)).toContain(text);
  });
});
