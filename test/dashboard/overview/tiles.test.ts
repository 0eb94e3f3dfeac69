import type { UseQueryResult } from '@tanstack/react-query';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { Compared } from '#dashboard/overview/changes.tsx';
import { Tiles } from '#dashboard/overview/tiles.tsx';
import { resolveRange } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, render, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const now = new Date('2026-11-26T06:37:00Z');

const report: CostReport = {
  window: { start: '2026-11-23T00:00:00.000Z', end: null, rounded_to: null },
  time_zone: 'UTC',
  complete_until: '2026-11-26T06:37:00.000Z',
  max_percentile_error: 0.19,
  totals: costTotals({ requests: 9946, cost_usd: '34.15', rejected_requests: 3, client_closed_requests: 2 }),
  previous: null,
  group_by: null,
  groups: [],
  other: null,
  interval: 'day',
  series: [],
};

async function tiles(totals: Partial<CostReport['totals']> = {}) {
  const data = { ...report, totals: { ...report.totals, ...totals } };
  const query = { data, isError: false } as UseQueryResult<CostReport>;
  const shown = await renderOnPage(createElement(Tiles, { query, isOld: false }));
  return all(shown, 'dd').map((tile) =>
    [...texts(tile, 'a'), ...texts(tile, 'p')].filter((text) => text !== ''),
  );
}

describe('A tile', () => {
  it('counts rejected requests beside those that were served', async () => {
    expect((await tiles())[1]).toEqual(['Requests: 9,946', 'served · 3 rejected']);
    expect((await tiles({ rejected_requests: 0 }))[1]).toEqual(['Requests: 9,946', '2 canceled']);
    expect((await tiles({ rejected_requests: null, client_closed_requests: 0 }))[1]).toEqual([
      'Requests: 9,946',
    ]);
  });

  it('has the median and the 95th percentile, each in a line of its own, and says whether they are exact', async () => {
    const exact = { p50: 888, p95: 888, p99: 888, exact: true };
    expect((await tiles({ latency_ms: exact }))[4]).toEqual([
      'Latency: 888 ms median, 95th percentile 888 ms',
    ]);
    const estimated = { p50: 939, p95: 245_000, p99: 300_000, exact: false };
    expect((await tiles({ latency_ms: estimated }))[4]).toEqual([
      'Latency: ≈ 939 ms median, 95th percentile ≈ 4 min 5 s',
    ]);
  });

  it('leads to the figure of its title', async () => {
    const latency_ms = { p50: 888, p95: 900, p99: 999, exact: true };
    const data = { ...report, totals: { ...report.totals, latency_ms } };
    const query = { data, isError: false } as UseQueryResult<CostReport>;
    const shown = await renderOnPage(createElement(Tiles, { query, isOld: false }));
    const titles = texts(shown, 'dt');
    const metricOf = (title: string) =>
      /metric=(\w+)/.exec(all(shown, 'a')[titles.indexOf(title)]?.attributes.href ?? '')?.[1];
    expect(['Spend', 'Latency median', 'First token median'].map(metricOf)).toEqual([
      'cost',
      'latency_p50',
      'first_token_p50',
    ]);
  });

  it('counts errors as errors', async () => {
    expect((await tiles({ error_requests: 1 }))[3]).toEqual(['Error rate: 0.01%', '1 error']);
    expect((await tiles({ error_requests: 1234 }))[3]).toEqual(['Error rate: 12.4%', '1,234 errors']);
  });
});

const previous = {
  window: {
    start: '2026-11-16T00:00:00.000Z',
    end: '2026-11-19T06:37:00.000Z',
    rounded_to: null,
  },
  totals: costTotals({ cost_usd: '22.36' }),
  cost_change: 0.5273,
  days: { with_requests: 1, total: 4 },
  groups: [],
  other: null,
};

describe('A change', () => {
  const changes = async (cost: string, before: Partial<CostReport['previous']>) => {
    const data = {
      ...report,
      totals: { ...report.totals, cost_usd: cost },
      previous: { ...previous, ...before },
    };
    const query = { data, isError: false } as UseQueryResult<CostReport>;
    const shown = await renderOnPage(createElement(Tiles, { query, isOld: false }), {
      path: '/organizations/org_1/overview?range=week',
    });
    const links = all(shown, 'p').flatMap((line) => all(line, 'a'));
    return links.map((link) => [textOf(link), link.attributes.href]);
  };

  it('leads to the comparison with the same earlier range', async () => {
    expect((await changes('34.15', {}))[0]).toEqual([
      'Up 52.7%. Compare Spend',
      '/organizations/org_1/usage?range=week&time_zone=UTC&compare=week&metric=cost',
    ]);
  });

  it('looks like a link of its own, also while nothing points at it', async () => {
    const data: CostReport = { ...report, previous };
    const query = { data, isError: false } as UseQueryResult<CostReport>;
    const shown = await renderOnPage(createElement(Tiles, { query, isOld: false }));
    const [spend, requests] = all(shown, 'p').flatMap((line) => all(line, 'a'));
    const underlined = [spend, requests].map(
      (link) =>
        link && all(link, 'span').filter(({ attributes }) => attributes.class?.startsWith('underline ')),
    );
    expect(underlined.map((found) => found?.flatMap(({ children }) => children))).toEqual([
      ['52.7%'],
      ['new'],
    ]);
  });

  it('above 999 % is the factor, and without an earlier figure it is new', async () => {
    expect((await changes('100', { cost_change: 11.4 }))[0]?.[0]).toBe('Up 12 ×. Compare Spend');
    const nothing = { cost_change: null, totals: costTotals() };
    expect((await changes('100', nothing))[0]?.[0]).toBe('new. Compare Spend');
  });
});

describe('The tooltip of a change', () => {
  const compared = (days: typeof previous.days | null) =>
    render(
      createElement(Compared, {
        metric: 'cost',
        report: { ...report, window: { ...report.window, end: '2026-11-26T00:00:00.000Z' } },
        previous: { ...previous, days },
      }),
    );

  it('names both ranges with their figures', () => {
    const shown = compared(null);
    expect(texts(shown, 'dd')).toEqual(['$34.15', '$22.36']);
    expect(texts(shown, 'dt')).toEqual([
      resolveRange({ start: '2026-11-23', end: '2026-11-26' }, now).title,
      resolveRange({ start: previous.window.start, end: previous.window.end }, now).title.replaceAll(
        '\u202f',
        ' ',
      ),
    ]);
    expect(texts(shown, 'p')).toEqual(['Spend', 'Click to see what changed most.']);
  });

  it('says how many days of the earlier range have data, unless all have', () => {
    expect(texts(compared(previous.days), 'p')).toEqual([
      'Spend',
      'Only 1 of 4 days of the earlier range has data.',
      'Click to see what changed most.',
    ]);
    expect(texts(compared({ with_requests: 0, total: 4 }), 'p')[1]).toBe(
      'None of the 4 days of the earlier range have data.',
    );
    expect(texts(compared({ with_requests: 0, total: 1 }), 'p')[1]).toBe(
      'The day of the earlier range has no data.',
    );
    expect(texts(compared({ with_requests: 4, total: 4 }), 'p')).toEqual([
      'Spend',
      'Click to see what changed most.',
    ]);
  });
});
