import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { periodTitle } from '#dashboard/charts/period-title.ts';
import { operationTitles } from '#dashboard/components/request/operation.ts';
import {
  formatColumnDuration,
  formatCompact,
  formatCount,
  formatDuration,
  formatShare,
} from '#dashboard/components/values/number-format.ts';
import { tierTitle } from '#dashboard/components/values/rates.ts';
import { approximately, formatUsd } from '#dashboard/components/values/usd-format.ts';
import {
  countsText,
  describeUncertainty,
  isCertain,
  type UncertainSum,
} from '#dashboard/metrics/uncertainty.ts';
import { cumulativeUncertainty } from '#dashboard/sessions/uncertain-costs.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { meanUsd } from '#lambdas/platform/money.ts';
import { isStandardName } from '#lambdas/pricing/price-context.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';
import {
  type UncertainRequests,
  uncertainRequests,
  uncertaintyOf,
} from '#lambdas/request-log/uncertainty.ts';
import {
  busiestMonth,
  busiestSession,
  type DemoDashboard,
  weeks,
  weeksInApi,
} from '#test/support/browser/demo-dashboard.ts';
import { cells, chartTable, downloadedRecords } from '#test/support/browser/page-content.ts';
import { type ApiGroup, sumUsd } from '#test/support/browser/public-api.ts';

/** The locale of the browser. */
const locale = 'en-GB';
const usd = (amount: string) => formatUsd(amount, locale);
const count = (number: number) => formatCount(number, locale);
const share = (part: number, whole: number) => formatShare(part / whole, locale);
const percentile = (percentiles: { p50: number; p95: number; exact: boolean } | null, name: 'p50' | 'p95') =>
  `${percentiles?.exact ? '' : approximately}${duration(percentiles?.[name])}`;
const duration = (ms: number | null | undefined) => formatDuration(ms ?? Number.NaN, locale);

/** With all digits. */
function exact(amount: string): string {
  const [whole, fraction = ''] = amount.split('.');
  return `$${whole}.${fraction.padEnd(2, '0')}`;
}

/** The text of the mark before a sum. */
function markText(sum: UncertainSum): string {
  const text = describeUncertainty(sum);
  if (text === null) return '';
  return sum.unpriced_requests > 0 ? text : approximately.trim() + text;
}

async function expectTooltip(page: Page, figure: string, text: string): Promise<void> {
  await page.getByText(figure, { exact: true }).last().hover();
  await page.getByText(text, { exact: true }).waitFor();
}

export function testFigures(demo: () => DemoDashboard): void {
  it('of the overview are those of the public API', async () => {
    const { api, open } = demo();
    const report = await api.costs({ ...weeksInApi, group_by: 'model', limit: '8', interval: 'day' });
    const page = await open('/overview', weeks);
    const tokens = report.total_input_tokens + report.total_output_tokens;
    const tokensText = formatCompact(tokens, locale);
    const { latency_ms: latency, time_to_first_token_ms: firstToken } = report;
    const tiles = [
      `Spend: ${usd(report.total_cost_usd)}`,
      `Requests: ${count(report.total_requests)}`,
      `Tokens: ${tokensText}`,
      `Error rate: ${share(report.error_requests, report.total_requests)}`,
      `Latency: ${percentile(latency, 'p50')} median, 95th percentile ${percentile(latency, 'p95')}`,
      `First token: ${percentile(firstToken, 'p50')} median, 95th percentile ${percentile(firstToken, 'p95')}`,
    ];
    const figures = page.getByLabel('Figures');
    const shown = tiles.map((name) => figures.getByRole('link', { name, exact: true }).count());
    expect(
      Object.fromEntries((await Promise.all(shown)).map((found, index) => [tiles[index], found])),
    ).toEqual(Object.fromEntries(tiles.map((tile) => [tile, 1])));
    await expectTooltip(page, usd(report.total_cost_usd), exact(report.total_cost_usd));
    await expectTooltip(page, tokensText, count(tokens));

    const models = report.groups.map(({ model }) => model);
    const spend = (totals: UncertainSum & { cost_usd: string }) =>
      (isCertain(totals) ? '' : approximately) + usd(totals.cost_usd);
    const costOf = (groups: ApiGroup[], model: string | undefined) => {
      const totals = groups.find((group) => group.model === model);
      return totals ? spend(totals) : usd('0');
    };
    const rest = (text: string) => (report.other === null ? [] : [text]);
    expect(await chartTable(page, 'Spend by model')).toEqual([
      ['Period', 'Total', ...models, ...rest(`Other (${report.other?.groups})`)],
      ...report.series.map(({ start, end, groups, other, ...totals }) => [
        periodTitle({ start, end }, 'day', 'UTC', locale),
        spend(totals),
        ...models.map((model) => costOf(groups, model)),
        ...rest(other ? spend(other) : usd('0')),
      ]),
    ]);
    expect(report.series).toHaveLength(14);
  });

  it('of the usage by user and its file are those of the public API', async () => {
    const { api, open } = demo();
    const report = await api.costs({ ...weeksInApi, group_by: 'user_id', limit: '5' });
    const page = await open('/usage', { ...weeks, group: 'user_id', top: '5' });
    const durationAmong = (column: readonly (number | null)[], ms: number | null) =>
      formatColumnDuration(ms ?? Number.NaN, Math.max(...column.map((each) => each ?? 0)), locale);
    const figures = (totals: ApiGroup) => [
      markText(totals) + usd(totals.cost_usd),
      count(totals.requests),
      count(totals.input_tokens + totals.output_tokens),
      share(totals.cached_input_tokens, totals.input_tokens),
      share(totals.error_requests, totals.requests),
      usd(meanUsd(totals.cost_usd, totals.requests - totals.unpriced_requests)),
      durationAmong(
        shown.map((each) => each.mean_latency_ms),
        totals.mean_latency_ms,
      ),
      durationAmong(
        shown.map((each) => each.mean_overhead_ms),
        totals.mean_overhead_ms,
      ),
    ];
    const { other, total_cost_usd: cost, total_requests: requests } = report;
    const { total_input_tokens: input_tokens, total_output_tokens: output_tokens } = report;
    const all = { ...report, cost_usd: cost, requests, input_tokens, output_tokens };
    const shown: ApiGroup[] = [...report.groups, ...(other ? [other] : []), all];
    const [, ...rows] = await cells(page.getByRole('table', { name: 'Figures by user' }));

    // The last column has menus.
    expect(rows.map((row) => row.slice(0, -1))).toEqual([
      ...report.groups.map((group) => [group.user_id ?? 'No user', ...figures(group)]),
      ...(other ? [[`Other (${other.groups})`, ...figures(other)]] : []),
      ['All requests', ...figures(all)],
    ]);
    const file = downloadedRecords(page.waitForEvent('download'));
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const records = await file;
    const { user_id } = report.groups[1] ?? {};
    const ofUser = records.filter((record) => record.user_id === user_id && record.is_other === 'false');
    expect(sumUsd(records.map(({ cost_usd }) => cost_usd))).toBe(cost);
    expect(sumUsd(records.map(({ estimated_cost_usd: estimated }) => estimated))).toBe(
      report.estimated_cost_usd,
    );
    expect(sumUsd(ofUser.map(({ cost_usd }) => cost_usd))).toBe(report.groups[1]?.cost_usd);
  });

  it('of a statement and its files are exact, and add up to the cost of the public API', async () => {
    const { api, open, entries } = demo();
    const month = busiestMonth(entries);
    const window = { start: `${month}-01T00:00:00Z`, end: `${monthAfter(month)}-01T00:00:00Z` };
    const { total_cost_usd: cost } = await api.costs(window);
    const counted = (await api.logs(window)).filter(({ outcome }) => outcome !== 'rejected');
    const lines = Map.groupBy(
      counted,
      ({ provider, model, operation, service_tier: tier, api_key_id: key }) =>
        JSON.stringify([`${provider}/${model}`, operation, tier && isStandardName(tier) ? null : tier, key]),
    );
    const page = await open(`/billing/statements/${month}`);
    const [, ...rows] = await cells(page.getByRole('table', { name: 'All lines' }));
    const shown = rows.map(([model, operation, tier, _key, ...figures]) => [
      model,
      operation,
      tier,
      ...figures,
    ]);
    const expected = [...lines].map(([line, requests]) => {
      const [model, operation, tier] = JSON.parse(line) as [string, OperationName, string | null];
      return [
        model + (countsText(uncertainCounts(requests)) ?? ''),
        ...[operationTitles[operation], tierTitle(tier), ...statementFigures(requests)],
      ];
    });

    expect(rows.pop()).toEqual(['Total', ...statementFigures(counted)]);
    expect(statementFigures(counted).at(-1)).toBe(exact(cost));
    expect(shown.slice(0, -1).toSorted()).toEqual(expected.toSorted());
    const csv = downloadedRecords(page.waitForEvent('download'));
    await page.getByRole('button', { name: / as CSV$/ }).click();
    const costs = (await csv).map(({ cost_usd }) => cost_usd);
    expect([costs.length, sumUsd(costs)]).toEqual([lines.size, cost]);
    const focus = downloadedRecords(page.waitForEvent('download'));
    await page.getByRole('button', { name: / as FOCUS CSV$/ }).click();
    const billed = (await focus).map(({ BilledCost }) => BilledCost);
    expect([billed.length, sumUsd(billed)]).toEqual([lines.size, cost]);
    await page.getByRole('button', { name: /^Month/ }).click();
    await page.getByRole('menuitemradio').last().click();
    const earliest = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 11));
    await page.waitForURL(`**/billing/statements/${earliest.toISOString().slice(0, 7)}`);
  });

  it('of a request, found by its id, explain its cost', async () => {
    const { api, open, entries } = demo();
    const id = entries.find(({ billed_parts: parts }) => parts !== null && parts.length > 1)?.id ?? '';
    const { cost_usd, cost_breakdown: parts } = await api.log(id);
    const page = await open('/logs', weeks);
    await page.getByLabel('Find a request by ID').fill(`x-gateway-request-id: ${id}`);
    await page.keyboard.press('Enter');
    const table = page.getByRole('table', { name: 'Cost breakdown' });
    await table.waitFor();

    expect((await cells(table)).map((row) => row.at(-1))).toEqual([
      'Cost',
      ...parts.flatMap(({ model, charges, cost_usd: subtotal }) => [
        model,
        ...charges.map((charge) => exact(charge.cost_usd)),
        exact(subtotal),
      ]),
      exact(cost_usd),
    ]);
    expect(sumUsd(parts.flatMap(({ charges }) => charges.map((charge) => charge.cost_usd)))).toBe(cost_usd);
  });

  it('of a session add up', async () => {
    const { api, open, entries } = demo();
    const session_id = busiestSession(entries);
    const listed = (await api.logs({ session_id })).reverse();
    const costs = listed.map(({ cost_usd }) => cost_usd);
    const requests = listed.map((request, index) => ({
      ...request,
      cumulative_cost_usd: sumUsd(costs.slice(0, index + 1)),
    }));
    const marks = cumulativeUncertainty(requests).map(markText);
    const page = await open('/sessions', { session_id });
    const [, ...rows] = await cells(page.getByRole('table', { name: 'Requests' }));

    expect(costs.length).toBeGreaterThan(3);
    // Only phones show the word.
    expect(rows.map((row) => row.slice(-2))).toEqual(
      requests.map((request, index) => [
        costText(request),
        `total ${marks[index]}${usd(request.cumulative_cost_usd)}`,
      ]),
    );
    await expectTooltip(page, usd(sumUsd(costs)), exact(sumUsd(costs)));
  });
}

function monthAfter(month: string): string {
  return new Date(Date.parse(month) + 32 * 86_400_000).toISOString().slice(0, 7);
}

/** The cost of one request, with the word for screen readers. */
function costText(entry: ListedLogEntry): string {
  const uncertainty = uncertaintyOf(entry);
  if (uncertainty === 'unpriced') return 'Unpriced';
  if (entry.usage_source === 'missing' && entry.pricing === null) return '–No cost reported';
  return (uncertainty === null ? '' : `${approximately}${uncertainty} `) + usd(entry.cost_usd);
}

function uncertainCounts(requests: readonly ListedLogEntry[]): UncertainRequests {
  const counts = requests.map((request) => uncertainRequests(uncertaintyOf(request)));
  const sum = (name: keyof UncertainRequests) => counts.reduce((total, { [name]: n }) => total + n, 0);
  return {
    unpriced_requests: sum('unpriced_requests'),
    assumed_requests: sum('assumed_requests'),
    estimated_requests: sum('estimated_requests'),
  };
}

/** Requests, tokens and cost. */
function statementFigures(requests: readonly ListedLogEntry[]): string[] {
  const sum = (tokens: (number | null)[]) => count(tokens.reduce<number>((total, n) => total + (n ?? 0), 0));
  return [
    count(requests.length),
    sum(requests.map(({ input_tokens }) => input_tokens)),
    sum(requests.map(({ output_tokens }) => output_tokens)),
    exact(sumUsd(requests.map(({ cost_usd }) => cost_usd))),
  ];
}
