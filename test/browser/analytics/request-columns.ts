import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type DemoDashboard, weeks, weeksInApi } from '#test/support/browser/demo-dashboard.ts';
import { listedIds, panelsLoaded } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';

const widths = [1280, 1440, 1920];
/** Without it, the page adds the zone of the reader. */
const weeksInUtc = { ...weeks, time_zone: 'UTC' };

export function testRequestColumns(demo: () => DemoDashboard): void {
  it.each(['en-US', 'de-DE', 'ar', 'ja'])(
    'shows whole times and names that can be read in %s',
    async (locale) => {
      const { dashboard, owner, organizationUrl } = demo();
      const { page, context } = await openTestUser(dashboard, locale);
      await context.addCookies(await owner.context.cookies(dashboard.dashboardUrl));
      await page.goto(`${organizationUrl}/logs?${new URLSearchParams(weeks)}`);
      await panelsLoaded(page);
      const shown: string[][] = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => cutCells(page), { interval: 20 }).toEqual([]);
        shown.push(await headings(page));
      }

      const important = ['Model', 'Status', 'Cost', 'Latency'];
      expect(shown.map((titles) => important.filter((title) => !titles.includes(title)))).toEqual([
        [],
        [],
        [],
      ]);
      expect(shown[2]?.length).toBe(10);
    },
  );

  it('has two lines for each request where the columns do not fit', async () => {
    const page = await demo().open('/logs', weeksInUtc);
    await page.setViewportSize({ width: 640, height: 900 });
    await expect
      .poll(() => headings(page))
      .toEqual(['Model', 'Cost', 'Time and status', 'Tokens and latency']);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(async () => (await headings(page)).slice(1, 3)).toEqual(['Model', 'Status']);
  });

  it('is sorted by a heading or the menu, in the order of the public API', async () => {
    const { api, open } = demo();
    const page = await open('/logs', weeksInUtc);
    const table = page.getByRole('table', { name: 'Requests' });
    const sortedBy = (name: string) => table.getByRole('columnheader', { name }).getAttribute('aria-sort');
    expect(await sortedBy('Time')).toBe('descending');

    await table.getByRole('button', { name: 'Cost' }).click();
    await expectOrder(page, await api.logs({ ...weeksInApi, sort: 'cost_usd' }));
    expect([await sortedBy('Time'), await sortedBy('Cost')]).toEqual([null, 'descending']);
    await table.getByRole('button', { name: 'Cost' }).click();
    await expectOrder(page, await api.logs({ ...weeksInApi, sort: 'cost_usd', order: 'asc' }));
    expect(await sortedBy('Cost')).toBe('ascending');

    await page.getByRole('button', { name: 'Order: Lowest cost first' }).click();
    await page.getByRole('menuitemradio', { name: 'Tokens' }).click();
    await expectOrder(page, await api.logs({ ...weeksInApi, sort: 'total_tokens' }));
    expect(await sortedBy('Tokens')).toBe('descending');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...weeksInUtc,
      sort: 'total_tokens',
    });
  });

  it('is limited to a range of a figure, as it is displayed', async () => {
    const { api, open } = demo();
    const page = await open('/logs', weeksInUtc);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('dialog', { name: 'Add filter' }).getByRole('button', { name: 'Latency' }).click();
    await page.getByLabel('At least').fill('2 s');
    await page.getByLabel('At most').fill('1 s');
    await page.keyboard.press('Enter');
    await page.getByText('This is less than the other value').waitFor();
    await page.getByLabel('At most').fill('1 min');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Latency 2 s – 1 min' }).waitFor();
    const bounds = { min_latency_ms: '2000', max_latency_ms: '60000' };
    await expectOrder(page, await api.logs({ ...weeksInApi, ...bounds }));
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ ...weeksInUtc, ...bounds });
    await page.getByText('The chart leaves out: latency').waitFor();
  });

  it('of a part of the range says so when it is sorted, and leads to each part', async () => {
    const { api, open } = demo();
    const [newest] = await api.logs(weeksInApi);
    const page = await open('/logs', weeksInUtc);
    const dividedAt = `${middle}T00:00:00.000Z`;
    const sorted = { searched_entries: 12_000, searched_back_to: dividedAt, more_matches: true };
    const list = { object: 'list', data: [newest], limit: 200, has_more: false, next_cursor: null, sorted };
    await page.route('**/analytics/*/logs?*sort=latency_ms*', (route) => route.fulfill({ json: list }));
    await page.getByRole('table', { name: 'Requests' }).getByRole('button', { name: 'Latency' }).click();
    await page.getByText('Sorted among the 12,000 newest requests, since').waitFor();
    await page.getByText('There are more.').waitFor();
    await page.getByRole('button', { name: /^Continue before/ }).click();
    const parametersOf = () => Object.fromEntries(new URL(page.url()).searchParams);
    await expect.poll(parametersOf).toEqual({
      start: `${weeks.start}T00:00:00.000Z`,
      end: dividedAt,
      time_zone: 'UTC',
      sort: 'latency_ms',
    });
    await page.goBack();
    await page.getByRole('button', { name: 'Show only these' }).click();
    await expect.poll(parametersOf).toEqual({
      start: dividedAt,
      end: `${weeks.end}T00:00:00.000Z`,
      time_zone: 'UTC',
      sort: 'latency_ms',
    });
  });
}

/** The first rows are those of the list. */
async function expectOrder(page: Page, entries: readonly { id: string }[]): Promise<void> {
  const first = entries.slice(0, 10).map(({ id }) => id);
  expect(first).toHaveLength(10);
  await expect.poll(async () => (await listedIds(page)).slice(0, 10), { interval: 20 }).toEqual(first);
}

const middle = new Date((Date.parse(weeks.start) + Date.parse(weeks.end)) / 2).toISOString().slice(0, 10);

function headings(page: Page): Promise<string[]> {
  return page.getByRole('table', { name: 'Requests' }).getByRole('columnheader').allInnerTexts();
}

/** Times, statuses and figures that are cut, and names with too little room, once each. */
function cutCells(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const minEms = { Model: 12, User: 6, Key: 6 };
    const titles = Array.from(document.querySelectorAll('thead th'), (heading) => heading.innerText);
    const problems = new Set();
    for (const row of document.querySelectorAll('tr[data-id]')) {
      if (row.cells.length !== titles.length) problems.add('no columns');
      Array.from(row.cells).forEach((cell, index) => {
        const { fontSize, paddingLeft } = getComputedStyle(cell);
        const widthPx = cell.clientWidth - parseFloat(paddingLeft);
        const minEm = minEms[titles[index]];
        if (minEm === undefined ? cell.scrollWidth > cell.clientWidth : widthPx < minEm * parseFloat(fontSize))
          problems.add(titles[index] + ': ' + cell.innerText);
      });
    }
    return problems.size === 0 && titles.length < 5 ? ['no columns'] : [...problems];
  })()`);
}
