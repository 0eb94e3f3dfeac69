import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type DemoDashboard, weeks } from '#test/support/browser/demo-dashboard.ts';
import { panelsLoaded } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';

/** In pixels: twelve times the size of the letters. */
const minNameWidth = 12 * 14;

export function testColumns(demo: () => DemoDashboard): void {
  it.each(['en-US', 'de-DE', 'ar', 'ja'])(
    'leave names their place and cut no figure in %s',
    async (locale) => {
      const { owner, dashboard, organizationUrl } = demo();
      const { page, context } = await openTestUser(dashboard, locale);
      await context.addCookies(await owner.context.cookies(dashboard.dashboardUrl));
      let checked = 0;
      for (const view of ['usage?group=model', 'usage?group=user_id', 'prompts?', 'keys?']) {
        await page.goto(`${organizationUrl}/${view}&${new URLSearchParams(weeks)}`);
        await panelsLoaded(page);
        for (const width of [820, 1280, 1440, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          const problems = async () => [
            ...(await cutCells(page)),
            ...(await unevenRows(page)),
            ...(await sidewaysPage(page)),
          ];
          // The page follows the new width after a moment.
          await expect.poll(problems, { interval: 20, message: `${view} at ${width}` }).toEqual([]);
          checked += 1;
        }
      }

      expect(checked).toBe(16);
    },
  );
}

/**
 * Returns the texts of cells that are cut, and of names with too little place. Names may be longer than their column, and texts
 * for screen readers have no place.
 */
function cutCells(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`Array.from(document.querySelectorAll('main table :is(th, td)'))
    .filter((cell) => {
      const { width, left, right } = cell.getBoundingClientRect();
      if (width === 0) return false;
      if (cell.scope === 'row') return width < ${minNameWidth} || left < 0;
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        if (texts.currentNode.parentElement.closest('.sr-only')) continue;
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        const text = range.getBoundingClientRect();
        if (text.width > 0 && (text.left < left - 1 || text.right > right + 1)) return true;
      }
      return false;
    })
    .map((cell) => cell.textContent)`);
}

/** Tables that are too wide scroll by themselves. */
async function sidewaysPage(page: Page): Promise<string[]> {
  const { scrollWidth, clientWidth } = await page.evaluate<Record<'scrollWidth' | 'clientWidth', number>>(
    '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
  );
  return scrollWidth > clientWidth ? [`page of ${scrollWidth} pixels`] : [];
}

/** Returns the texts of rows that have more or fewer cells than there are headings. */
function unevenRows(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`Array.from(document.querySelectorAll('main table tr'))
    .filter((row) => {
      const [cells, headings] = [row, row.closest('table').rows[0]].map(
        ({ cells }) => Array.from(cells).filter((cell) => getComputedStyle(cell).display !== 'none').length,
      );
      return cells !== headings;
    })
    .map((row) => 'uneven: ' + row.textContent)`);
}
