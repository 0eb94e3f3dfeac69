import { expect, it } from 'vitest';
import { type DemoDashboard, weeks } from '#test/support/browser/demo-dashboard.ts';
import { listedIds, panelsLoaded } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';
import { accessibilityFindings } from '#test/support/browser/user.ts';

/** The sidebar, the search, the time zone, and what happens without a connection. */
export function testFrame(demo: () => DemoDashboard): void {
  it('has a sidebar of icons on tablets, and shows its last entry at a height of 800 pixels', async () => {
    const page = await demo().open('/budgets');
    const sidebar = page.getByRole('banner').filter({ has: page.getByRole('navigation') });
    const last = sidebar.getByRole('link', { name: 'Sign-ins' });
    await page.setViewportSize({ width: 820, height: 1180 });
    expect((await sidebar.boundingBox())?.width).toBe(56);
    await sidebar.getByRole('link', { name: 'Budgets' }).focus();
    await page.keyboard.press('Tab');
    await page.locator('main').getByText('Routes', { exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();

    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(async () => (await sidebar.boundingBox())?.width).toBe(248);
    const [box, menu] = [
      await last.boundingBox(),
      await sidebar.getByRole('button', { name: /^User menu/ }).boundingBox(),
    ];
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(menu?.y ?? 0);
  });

  it('searches by keyboard alone, and shows its shortcuts', async () => {
    const { open, entries, organizationUrl } = demo();
    const page = await open('/budgets');
    const search = page.getByRole('combobox', { name: 'Search', exact: true });
    const find = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k');
      await search.waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { name: option }).first().waitFor();
      // The ids of requests and the names of views are first: arrows lead to the others.
      while (
        (await page
          .getByRole('option')
          .and(page.locator('[data-highlighted]'))
          .filter({ hasText: option })
          .count()) === 0
      )
        await page.keyboard.press('ArrowDown');
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await search.waitFor({ state: 'hidden' });
    };
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

    await find('audit', /^Audit trail/);
    await heading('Audit trail');
    await find('somebody', /^Invite a member/);
    await page.getByRole('dialog', { name: /^Invite to/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: /^Invite to/ }).waitFor({ state: 'hidden' });
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await find('tokens per minute', /^Set a rate limit/);
    await page.getByRole('dialog', { name: 'Set rate limits' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Set rate limits' }).waitFor({ state: 'hidden' });
    await expect.poll(() => new URL(page.url()).search).toBe('');
    const withResponse = entries.find(({ response_id: id }) => id !== null);
    await find(withResponse?.response_id ?? '', /^Find the request .*Response ID$/);
    await heading('Logs');
    await expect.poll(() => listedIds(page)).toEqual([withResponse?.id]);
    await find('yesterday', /^Logs of /);
    await page.waitForURL(`${organizationUrl}/logs?*start=*`);
    const [entry] = entries;
    await find(entry?.id ?? '', /Request$/);
    await heading(entry?.model ?? '');
    const user = entries.find(({ user_id: id }) => id !== null)?.user_id ?? '';
    await find(user, /User$/);
    await heading('Usage');
    expect(page.url()).toContain(`${organizationUrl}/usage?`);
    expect(new URL(page.url()).searchParams.get('user_id')).toBe(user);

    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Ctrl').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
  });

  it('shows all times in the zone of the person, which a link keeps', async () => {
    const { dashboard, organizationUrl, owner } = demo();
    const { page, context } = await openTestUser(dashboard);
    await context.addCookies(await owner.context.cookies(dashboard.dashboardUrl));
    await page.goto(`${organizationUrl}/logs`);
    await panelsLoaded(page);
    expect(new URL(page.url()).searchParams.get('time_zone')).toBe('Europe/Berlin');

    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByRole('button', { name: 'Change time zone' }).click();
    await page.getByRole('combobox', { name: 'Search time zones' }).fill('kolkata');
    await page.getByRole('option', { name: /^Asia\/Kolkata/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Time range: Last 30 days Asia/Kolkata' }).waitFor();
    expect(new URL(page.url()).searchParams.get('time_zone')).toBe('Asia/Kolkata');

    await page.goto(`${dashboard.dashboardUrl}/account`);
    await page.getByText('Asia/Kolkata', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Change time zone' }).click();
    await page.getByRole('option', { name: /^This browser's/ }).click();
    await page.getByText("(this browser's)").waitFor();
  });

  it('says once that several panels have failed, and loads all of them again', async () => {
    const { openTab, organizationUrl } = demo();
    const page = await openTab();
    const error = { message: 'Something went wrong', type: 'server_error', param: null, code: null };
    const failing = '**/costs?*group_by=*_id*';
    const headers = { 'x-amzn-requestid': 'id-to-quote' };
    await page.route(failing, (route) => route.fulfill({ status: 500, json: { error }, headers }));
    await page.goto(`${organizationUrl}/overview?${new URLSearchParams(weeks)}`);
    await page.getByText('2 parts of this page could not be loaded').waitFor();
    await page.getByText('id-to-quote').waitFor();

    expect(await page.getByRole('alert').count()).toBe(1);
    await page.unroute(failing);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Top users' }).getByRole('listitem').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says that it is offline, and opens what was asked for when the connection is back', async () => {
    const { dashboard, organizationUrl, owner } = demo();
    const { page, context } = await openTestUser(dashboard);
    await context.addCookies(await owner.context.cookies(dashboard.dashboardUrl));
    await page.goto(`${organizationUrl}/budgets`);
    await panelsLoaded(page);
    await context.setOffline(true);
    await page.getByText(/^You are offline/).waitFor();
    await page.getByRole('link', { name: 'Models' }).click();

    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await panelsLoaded(page);
    await page.getByText(/^You are offline/).waitFor({ state: 'hidden' });
    expect(await page.getByRole('alert').count()).toBe(0);
  });
}
