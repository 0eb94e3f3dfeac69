import { expect, it } from 'vitest';
import { announced } from '#test/support/browser/announcements.ts';
import { type DemoDashboard, weeks } from '#test/support/browser/demo-dashboard.ts';
import { panelsLoaded } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';

export function testFirstView(demo: () => DemoDashboard): void {
  it('of an organization without requests leads to the first one, and sees it arrive', async () => {
    const { openTab, dashboard } = demo();
    const page = await openTab();
    await page.goto(`${dashboard.dashboardUrl}/organizations/new`);
    await page.getByLabel('Name').fill('Fresh');
    const overviewReport = /\/costs\?.*compare=previous/;
    const emptyReport = page.waitForResponse(overviewReport).then((response) => response.json());
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('Waiting for the first request').waitFor();
    const first = page.getByRole('button', { name: 'Create a key and send a test request' });
    await expect.poll(() => page.locator(':focus').textContent()).toBe(await first.textContent());
    await page.keyboard.press('Enter');

    await page.getByLabel('The first request', { exact: true }).getByText('demo-1').waitFor();
    const chart = page.getByRole('application', { name: 'Spend by model in the last hour' });
    await chart.waitFor();
    await page.getByRole('heading', { level: 3, name: 'Spend by model in the last hour' }).waitFor();
    const isInView = async () => {
      const [box, screen] = [await chart.boundingBox(), page.viewportSize()];
      return box !== null && screen !== null && box.y >= 0 && box.y + box.height <= screen.height;
    };
    await expect.poll(isInView).toBe(true);
    await page.getByRole('button', { name: 'Open the overview' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await announced(page, 'Copied');
    // The sums have a request a moment later than the log: this report does not include it yet.
    const json = await emptyReport;
    await page.route(overviewReport, (route) => route.fulfill({ json }), { times: 1 });
    await page.getByRole('button', { name: 'Open the overview' }).click();
    await page.getByRole('link', { name: 'Requests: 1', exact: true }).waitFor();
  });

  it.each(['overview', 'logs', 'billing'])(
    'of %s has at most 280 kB with its font, from absolute paths',
    async (view) => {
      const { owner, dashboard, organizationUrl } = demo();
      const { page, context } = await openTestUser(dashboard);
      await context.addCookies(await owner.context.cookies(dashboard.dashboardUrl));
      // Without headers: HTTP/2 sends those that repeat as a few bytes.
      const loaded: { path: string; bytes: Promise<number> }[] = [];
      page.on('requestfinished', (request) =>
        loaded.push({
          path: new URL(request.url()).pathname,
          bytes: request.sizes().then(({ responseBodySize }) => responseBodySize),
        }),
      );
      await page.goto(`${organizationUrl}/${view}?${new URLSearchParams(weeks)}`);
      await page.getByRole('application').first().waitFor();
      await panelsLoaded(page);
      await page.waitForLoadState('networkidle');
      const files = loaded.filter(({ path }) => !path.startsWith('/dashboard/api/'));
      const bytes = (await Promise.all(files.map((file) => file.bytes))).reduce((sum, each) => sum + each, 0);

      const paths = files.map(({ path }) => path);
      expect(paths.filter((path) => !/^\/(organizations|assets)\/|^\/favicon/.test(path))).toEqual([]);
      expect(paths.some((path) => path.endsWith('.woff2'))).toBe(true);
      expect(paths.length).toBeLessThan(loaded.length);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThan(280_000);
    },
  );
}
