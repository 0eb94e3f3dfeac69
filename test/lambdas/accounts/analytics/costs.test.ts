import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { parseAmounts } from '#test/support/exact-amounts.ts';
import { logEntry } from '#test/support/log-entries.ts';

let fixture: AnalyticsFixture;

const entryAt = (time: string, fields: Parameters<typeof logEntry>[0] = {}) =>
  logEntry({ id: createLogId(Date.parse(time)), ...fields });

beforeAll(async () => {
  fixture = await startAnalyticsFixture();
  await fixture.record(
    // More digits than a number has.
    entryAt('2026-11-22T10:00:00Z', { cost_usd: '123456.000000000001', user_id: 'ada' }),
    entryAt('2026-11-22T11:00:00Z', { cost_usd: '0.000000000001', user_id: 'ada', model: 'gpt-4o-mini' }),
    entryAt('2026-11-22T12:00:00Z', { cost_usd: '0.000000000001', user_id: 'bob', status: 500 }),
    entryAt('2026-11-22T12:30:00Z', { cost_usd: '0', user_id: 'cyd', outcome: 'rejected', status: 429 }),
    entryAt('2026-11-21T12:00:00Z', { cost_usd: '3', pricing: 'assumed' }),
  );
});
afterAll(() => fixture.stop());

async function report(query: string): Promise<CostReport> {
  const { status, body, text } = await fixture.get(`/costs?${query}`);
  if (status !== 200) throw new Error(text);
  return body as CostReport;
}

/** Every field that the public API has under another name or not at all. */
const publicTotals = ({ requests, cost_usd, input_tokens, output_tokens, ...others }: CostTotals) => {
  const { mean_cost_usd: _, ...details } = others;
  return {
    total_requests: requests,
    total_cost_usd: cost_usd,
    total_input_tokens: input_tokens,
    total_output_tokens: output_tokens,
    ...details,
  };
};

const publicGroup = ({ mean_cost_usd: _, ...totals }: CostTotals) => totals;

describe('GET /dashboard/api/analytics/{organization}/costs', () => {
  it.each([
    'start=2026-11-22T00:00:00Z&group_by=user_id&limit=1&interval=day&compare=previous',
    'start=2026-11-21T00:00:00Z&end=2026-11-23T00:00:00Z&group_by=model&interval=hour',
    'group_by=error_code',
    'provider=openai',
    'compare_start=2026-11-20T00:00:00Z&compare_end=2026-11-22T00:00:00Z&group_by=model&order_by=latency_p50',
  ])('has the sums of GET /api/costs to the last digit: %s', async (query) => {
    const own = await report(query);
    const response = await fixture.reports.get('costs', { caller: fixture.caller, query });
    const expected = parseAmounts<Record<string, unknown>>(response.text);

    const field = own.group_by === 'api_key' ? 'api_key_id' : (own.group_by ?? '');
    const groups = (list: Pick<CostReport, 'groups' | 'other'>) => ({
      groups: list.groups.map(({ value, totals }) => ({ [field]: value, ...publicGroup(totals) })),
      other: list.other && { groups: list.other.groups, ...publicGroup(list.other.totals) },
    });
    expect(own.max_percentile_error).toBe(expected.max_percentile_error);
    const { by_model: _, max_percentile_error: __, ...sums } = expected;
    expect({
      ...publicTotals(own.totals),
      window: own.window,
      time_zone: own.time_zone,
      complete_until: own.complete_until,
      ...(own.group_by !== null && { group_by: own.group_by, ...groups(own) }),
      ...(own.interval !== null && {
        interval: own.interval,
        series: own.series.map(({ start, end, totals, ...lists }) => ({
          start,
          end,
          ...publicGroup(totals),
          ...groups(lists),
        })),
      }),
      ...(own.previous !== null && {
        previous: {
          window: own.previous.window,
          days: own.previous.days,
          ...publicTotals(own.previous.totals),
          ...(own.group_by !== null && groups(own.previous)),
        },
      }),
    }).toEqual(sums);
  });

  it('has every amount as text, and the mean of a request and the change of the cost', async () => {
    const { totals, previous, groups } = await report(
      'start=2026-11-22T00:00:00Z&end=2026-11-23T00:00:00Z&compare=previous&group_by=user_id',
    );

    expect(totals).toMatchObject({
      requests: 3,
      cost_usd: '123456.000000000003',
      mean_cost_usd: '41152.000000000001',
      assumed_cost_usd: '0',
      rejected_requests: 1,
    });
    expect(previous).toMatchObject({
      totals: { cost_usd: '3', mean_cost_usd: '3', assumed_cost_usd: '3' },
      cost_change: 41151,
    });
    expect(
      groups.map(({ value, totals: { mean_cost_usd, rejected_requests } }) => [
        ...[value, mean_cost_usd, rejected_requests],
      ]),
    ).toEqual([
      ['ada', '61728.000000000001', null],
      ['bob', '0.000000000001', null],
    ]);
  });

  it('takes dates as bounds of the range to compare with, and returns the groups of that range', async () => {
    const { previous } = await report(
      'start=2026-11-22&time_zone=Asia/Kolkata&compare_start=2026-11-20&compare_end=2026-11-22&group_by=model',
    );

    expect(previous).toMatchObject({
      window: { start: '2026-11-19T18:30:00.000Z', end: '2026-11-21T18:30:00.000Z' },
      days: { with_requests: 1, total: 2 },
      groups: [{ value: 'gpt-4o', totals: { requests: 1, cost_usd: '3' } }],
      other: null,
    });
  });

  it('has empty lists and null without groups, series, comparison and requests', async () => {
    expect(await report('start=2026-11-25T00:00:00Z&end=2026-11-26T00:00:00Z')).toMatchObject({
      totals: { requests: 0, cost_usd: '0', mean_cost_usd: null },
      previous: null,
      group_by: null,
      groups: [],
      other: null,
      interval: null,
      series: [],
    });
  });

  it.each([
    // The clock was set forward.
    ['Europe/Berlin', '2026-03-29', '2026-03-30', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    // The clock was set back.
    ['Europe/Berlin', '2026-10-25', '2026-10-26', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    // There was no midnight.
    ['America/Santiago', '2026-09-06', '2026-09-07', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    // Midnight was there twice.
    ['America/Havana', '2026-11-01', '2026-11-02', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-22', '2026-11-23', '2026-11-21T18:30:00.000Z', '2026-11-22T18:30:00.000Z'],
    ['UTC', '2026-11-22', '2026-11-23', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
  ])('takes dates as the start of the local day: %s, %s to %s', async (timeZone, start, end, from, to) => {
    const { window, series } = await report(`time_zone=${timeZone}&start=${start}&end=${end}&interval=day`);

    expect(window).toEqual({ start: from, end: to, rounded_to: null });
    expect(series.map((period) => [period.start, period.end])).toEqual([[from, to]]);
  });

  it('compares with as many local days if the bounds are dates', async () => {
    const { previous } = await report(
      'time_zone=Europe/Berlin&start=2026-10-26&end=2026-10-27&compare=previous',
    );

    expect(previous?.window).toEqual({
      start: '2026-10-24T22:00:00.000Z',
      end: '2026-10-25T23:00:00.000Z',
      rounded_to: null,
    });
  });

  it.each([
    ['start', 'start=2026-02-30'],
    ['end', 'end=2026-13-01'],
    ['start', 'start=2026-11-22&start=2026-11-23'],
    ['start', 'start=yesterday'],
    ['start', 'start=2026-11-23&end=2026-11-22'],
    ['time_zone', 'start=2026-11-23&time_zone=Mars/Olympus'],
    ['time_zone', 'time_zone='],
    ['group_by', 'group_by=color'],
    ['organization', 'organization=org_1'],
  ])('returns 400 that names %s: %s', async (param, query) => {
    expect(await fixture.get(`/costs?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request_error', param } },
    });
  });
});
