import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MetricName } from '#dashboard/metrics/metrics.ts';
import type { Selection } from '#dashboard/usage/drill-down.ts';
import { type Point, PointFigures, RequestsLinks } from '#dashboard/usage/point-dialog.tsx';
import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { costTotals } from '../rendering/cost-totals.ts';
import { all, renderComponent, textOf, texts } from '../rendering/markup.ts';
import { acme, renderOnPage } from '../rendering/page.ts';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-23T12:00:00Z'), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** The text and the link to the requests of an hour, with 30 days of entries. */
async function linkOf(
  start: string,
  end: string,
  selection: Selection = { kind: 'all' },
  metric: MetricName = 'requests',
  totals: Partial<CostTotals> = {},
) {
  const point = { period: { start, end }, selection } as Point;
  const link = createElement(RequestsLinks, {
    point,
    search: { time_zone: 'Europe/Berlin' },
    filters: {},
    metric,
    totals: costTotals(totals),
  });
  const shown = await renderOnPage(link, { organization: { ...acme, entry_retention_days: 30 } });
  return [
    textOf(shown),
    ...all(shown, 'a').map(({ attributes }) => decodeURIComponent(attributes.href ?? '')),
  ];
}

const range = 'start=2026-11-22T23:00:00.000Z&end=2026-11-23T00:00:00.000Z';
const logs = '/organizations/org_1/logs';

describe('The figures of a point', () => {
  const titles = (metric: MetricName, latency_ms: CostTotals['latency_ms']) =>
    texts(renderComponent(PointFigures, { totals: costTotals({ latency_ms }), metric }), 'dt');

  it('begin with the metric of the chart, and have the mean latency where no other is known', () => {
    const percentiles = { p50: 1, p95: 2, p99: 3, exact: true };
    const others = ['Spend', 'Requests', 'Tokens', 'Error rate'];
    expect(titles('latency_p95', percentiles)).toEqual([
      'Latency p95',
      ...others,
      'Latency median',
      'Mean gateway overhead',
    ]);
    expect(titles('cost', null)).toEqual([...others, 'Mean latency', 'Mean gateway overhead']);
  });
});

describe('A point of the usage', () => {
  it('leads to its requests, in its zone', async () => {
    expect(await linkOf('2026-11-22T23:00:00.000Z', '2026-11-23T00:00:00.000Z')).toEqual([
      'Show its requests: newest firstSlowest firstHighest cost first',
      `${logs}?${range}&time_zone=Europe/Berlin`,
      `${logs}?${range}&time_zone=Europe/Berlin&sort=latency_ms`,
      `${logs}?${range}&time_zone=Europe/Berlin&sort=cost_usd`,
    ]);
  });

  it('leads to those of its group', async () => {
    const user = { kind: 'group', group: 'user_id', value: 'ada' } as const;
    const [, address] = await linkOf('2026-11-22T23:00:00.000Z', '2026-11-23T00:00:00.000Z', user);
    expect(address).toContain('user_id=ada');
  });

  it.each<[MetricName, string, string]>([
    ['cost', 'highest cost first', 'sort=cost_usd'],
    ['latency_p95', 'slowest first', 'sort=latency_ms'],
    ['first_token_p95', 'slowest first token first', 'sort=time_to_first_token_ms'],
    ['tokens', 'most tokens first', 'sort=total_tokens'],
    ['error_rate', '3 timeouts', 'outcome=timeout'],
    ['rejected', '1,234 rejected', 'outcome=rejected'],
  ])('leads from %s to the requests that explain it: %s', async (metric, title, condition) => {
    const [text, address] = await linkOf(
      '2026-11-22T23:00:00.000Z',
      '2026-11-23T00:00:00.000Z',
      { kind: 'all' },
      metric,
      { provider_error_requests: 1, timeout_requests: 3, rejected_requests: 1234 },
    );
    expect(text).toMatch(new RegExp(`^Show its requests: ${title}`));
    expect(address).toBe(`${logs}?${range}&time_zone=Europe/Berlin&${condition}`);
    // Each list once.
    expect(text?.toLowerCase().split(title)).toHaveLength(2);
  });

  it('says that its entries have expired, or the earlier ones', async () => {
    expect(await linkOf('2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z')).toEqual([
      'Log entries are kept for 30 days. Those of this period have expired.',
    ]);
    const [text] = await linkOf('2026-10-24T00:00:00Z', '2026-10-25T00:00:00Z');
    expect(text).toMatch(/first(Log entries are kept for 30 days. Earlier ones have expired.)$/);
  });

  it.each<[Selection, string]>([
    [{ kind: 'other' }, 'To see single groups of the rest, show more of them.'],
    [
      { kind: 'group', group: 'prompt_id', value: null },
      'Logs cannot be filtered by requests without a prompt.',
    ],
  ])('says why %j cannot be listed', async (selection, text) => {
    expect(await linkOf('2026-11-22T23:00:00Z', '2026-11-23T00:00:00Z', selection)).toEqual([text]);
  });
});
