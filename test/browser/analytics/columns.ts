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
      const cut: Record<string, string[]> = {};
      for (const view of ['usage?group=model', 'usage?group=user_id', 'prompts?']) {
        await page.goto(`${organizationUrl}/${view}&${new URLSearchParams(weeks)}`);
        await panelsLoaded(page);
        for (const width of [1280, 1440, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          cut[`${view} at ${width}`] = await cutCells(page);
        }
      }

      expect(Object.keys(cut)).toHaveLength(9);
      expect(Object.entries(cut).filter(([, texts]) => texts.length > 0)).toEqual([]);
    },
  );
}

/** Returns the texts of cells that are cut, and of names with too little place. Names may be longer than their column. */
function cutCells(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`Array.from(document.querySelectorAll('main table :is(th, td)'))
    .filter((cell) => {
      const { width, left, right } = cell.getBoundingClientRect();
      if (width === 0) return false;
      if (cell.scope === 'row') return width < ${minNameWidth} || left < 0;
      const range = document.createRange();
      range.selectNodeContents(cell);
      const content = range.getBoundingClientRect();
      return content.width > 0 && (content.left < left || content.right > right + 1);
    })
    .map((cell) => cell.textContent)`);
}
