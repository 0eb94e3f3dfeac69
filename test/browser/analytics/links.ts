import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type DemoDashboard, weeks, weeksInApi } from '#test/support/browser/demo-dashboard.ts';
import { cells, listedIds, panelsLoaded } from '#test/support/browser/page-content.ts';

const parametersOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const inUtc = { time_zone: 'UTC' };

export function testLinks(demo: () => DemoDashboard): void {
  /** Expects those that the public API lists. */
  async function expectRequests(page: Page, parameters: Record<string, string>): Promise<void> {
    const ids = (await demo().api.logs(parameters)).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    const table = page.getByRole('table', { name: 'Requests' });
    await expect
      .poll(
        async () => {
          const listed = await listedIds(page);
          // Only rows in view exist, and some around them.
          const others = ids.slice(Math.max(1, listed.length));
          return { rows: await table.getAttribute('aria-rowcount'), ids: [...listed, ...others] };
        },
        { interval: 20 },
      )
      .toEqual({ rows: String(ids.length + 1), ids });
  }

  it('lead from a bar to its requests, and show the same to others', async () => {
    const { api, open, openTab } = demo();
    const report = await api.costs({ ...weeksInApi, group_by: 'model', limit: '8', interval: 'day' });
    const costs = report.series.map(({ cost_usd }) => Number(cost_usd));
    const highest = costs.indexOf(Math.max(...costs));
    const { start = '', end = '' } = report.series[highest] ?? {};
    const filters = { start, end, model: report.groups[0]?.model ?? '', sort: 'cost_usd' };
    const page = await open('/overview', weeks);
    await page.getByRole('application', { name: 'Spend by model' }).focus();
    await page.keyboard.press('Home');
    for (let index = 0; index < highest; index += 1) await page.keyboard.press('ArrowRight');
    // Up from all of them is the lowest one, which is the most expensive.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expectRequests(page, filters);
    expect(parametersOf(page)).toEqual({ ...filters, ...inUtc });

    const other = await openTab();
    await other.goto(page.url());
    await expectRequests(other, filters);
    await panelsLoaded(other);
    await other.getByRole('application', { name: 'Requests over time' }).focus();
    for (const key of ['Home', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter'])
      await other.keyboard.press(key);
    const thirdHour = new Date(Date.parse(start) + 3 * 3_600_000).toISOString();
    await expect.poll(() => parametersOf(other)).toEqual({ ...filters, ...inUtc, end: thirdHour });
    await other.goBack();
    await expectRequests(other, filters);
  });

  it('lead from a point and a row of the usage to their requests', async () => {
    const { api, open } = demo();
    const report = await api.costs({ ...weeksInApi, group_by: 'user_id', limit: '5', interval: 'day' });
    const user_id = report.groups.flatMap((group) => group.user_id ?? [])[0] ?? '';
    const page = await open('/usage', { ...weeks, group: 'user_id', top: '5' });
    // Above the bars, so that it chooses all users.
    await page.getByRole('application').click({ position: { x: 500, y: 5 } });
    const point = page.getByRole('dialog', { name: 'All requests' });
    await point.waitFor();
    const period = report.series.find(({ start }) => start === parametersOf(page).point);
    const { start = '', end = '' } = period ?? {};
    await point.getByRole('link', { name: 'Show its requests: highest cost first' }).click();
    await expectRequests(page, { start, end, sort: 'cost_usd' });
    expect(parametersOf(page)).toEqual({ start, end, sort: 'cost_usd', ...inUtc });

    await page.goBack();
    await point.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `More about ${user_id}` }).click();
    await page.getByRole('menuitem', { name: 'Show its requests' }).click();
    await expectRequests(page, { ...weeksInApi, user_id });
    expect(parametersOf(page)).toEqual({ ...weeks, user_id });
  });

  it('lead from an operation of the usage to its requests, and name it', async () => {
    const { api, open } = demo();
    const { groups } = await api.costs({ ...weeksInApi, group_by: 'operation' });
    const page = await open('/usage', { ...weeks, group: 'operation' });
    const [, ...rows] = await cells(page.getByRole('table', { name: 'Figures by operation' }));
    expect(rows.map(([name, _spend, requests]) => [name, requests])).toEqual([
      ['Chat completions', String(groups[0]?.requests)],
      ['Embeddings', String(groups[1]?.requests)],
      ['All requests', String(Number(groups[0]?.requests) + Number(groups[1]?.requests))],
    ]);

    await page.getByRole('button', { name: 'More about Embeddings' }).click();
    await page.getByRole('menuitem', { name: 'Show its requests' }).click();
    await expectRequests(page, { ...weeksInApi, operation: 'embeddings' });
    expect(parametersOf(page)).toEqual({ ...weeks, operation: 'embeddings' });
    await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
    await page.getByRole('definition').filter({ hasText: 'Embeddings' }).waitFor();

    await page.goBack();
    await page.getByRole('button', { name: 'Operation Embeddings', exact: true }).click();
    await page.getByRole('button', { name: 'Chat completions', exact: true }).click();
    await expect.poll(() => parametersOf(page)).toEqual({ ...weeks, operation: 'chat.completions' });
  });
}
