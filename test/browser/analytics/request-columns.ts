import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type DemoDashboard, weeks } from '#test/support/browser/demo-dashboard.ts';
import { panelsLoaded } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';

const widths = [1280, 1440, 1920];

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
    const page = await demo().open('/logs', weeks);
    await page.setViewportSize({ width: 640, height: 900 });
    await expect
      .poll(() => headings(page))
      .toEqual(['Model', 'Cost', 'Time and status', 'Tokens and latency']);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(async () => (await headings(page)).slice(1, 3)).toEqual(['Model', 'Status']);
  });
}

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
