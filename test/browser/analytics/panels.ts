import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openSignedIn } from '#test/support/browser/dashboard.ts';
import {
  busiestMonth,
  busiestSession,
  type DemoDashboard,
  weeks,
} from '#test/support/browser/demo-dashboard.ts';
import { navigateTo, panelBoxes, panelsLoaded } from '#test/support/browser/page-content.ts';
import { openTestUser } from '#test/support/browser/test-user.ts';
import { accessibilityFindings, appearancesOf, devices, setAppearance } from '#test/support/browser/user.ts';

export function testPanels(demo: () => DemoDashboard): void {
  it('is refused to those who are not members', async () => {
    const { dashboard } = demo();
    const { organizationId } = dashboard.gateway;
    const user = await openTestUser(dashboard);
    const path = `/organizations/${organizationId}/usage`;
    await openSignedIn(user, dashboard, { email: 'stranger@example.com', path });
    await user.page.getByRole('heading', { level: 1, name: 'Organization not found' }).waitFor();
    const statuses = await user.page.evaluate(
      (resources) =>
        Promise.all(
          resources.map(async (resource) => {
            const response = await fetch(resource, { headers: { 'x-dashboard': '1' } });
            return response.status;
          }),
        ),
      ['costs', 'logs', 'models', 'statements/2026-10'].map(
        (resource) => `/dashboard/api/analytics/${organizationId}/${resource}`,
      ),
    );
    expect(statuses).toEqual([404, 404, 404, 404]);
  });

  it('shows its other panels when one fails', async () => {
    const { openTab, organizationUrl } = demo();
    const page = await openTab();
    const error = { message: 'Something went wrong', type: 'server_error', param: null, code: null };
    const failing = '**/costs?*group_by=user_id*';
    await page.route(failing, (route) => route.fulfill({ status: 500, json: { error } }));
    await page.goto(`${organizationUrl}/overview?${new URLSearchParams(weeks)}`);
    const panel = (name: string) => page.getByRole('region', { name });
    await panel('Top users').getByText('Something went wrong').waitFor();
    await panelsLoaded(page);

    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await panel('Top keys').getByRole('listitem').count()).toBe(6);
    expect(await page.getByRole('application', { name: 'Spend by model' }).count()).toBe(1);
    await page.unroute(failing);
    await page.getByRole('button', { name: 'Try again' }).click();
    await panel('Top users').getByRole('listitem').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it.each([
    ['overview', 4],
    ['usage', 1],
    ['logs', 1],
  ])('of %s keeps its layout when data arrives, and when it is replaced', async (view, panels) => {
    const { openTab, organizationUrl } = demo();
    const page = await openTab();
    const release = await holdResponses(page);
    await page.goto(`${organizationUrl}/${view}?${new URLSearchParams(weeks)}`);
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByText('Loading…').first().waitFor();
    const loading = await panelBoxes(page);
    release();
    await panelsLoaded(page);
    const loaded = await panelBoxes(page);
    // The number of notices and rows below depends on the data.
    expect(loaded.slice(0, panels)).toEqual(loading.slice(0, panels));
    expect(loaded.length).toBeGreaterThanOrEqual(panels);

    const releaseOthers = await holdResponses(page);
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor();
    expect(await panelBoxes(page)).toEqual(loaded);
    expect(await page.getByText('Loading…').count()).toBe(0);
    releaseOthers();
    await panelsLoaded(page);
  });

  it.each([
    ['overview', 6],
    ['usage', 2],
    ['prompts', 1],
  ])('of %s dims the figures of one range while those of another load', async (view, panels) => {
    const page = await demo().open(`/${view}`, weeks);
    const release = await holdResponses(page);
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await expect.poll(() => opacities(page)).toEqual(Array.from({ length: panels }, () => '0.4'));
    // The button has the choice, headings have the range of the figures.
    const headings = page.getByText(/Last 7 days[,:]/);
    expect(await headings.count()).toBe(0);

    release();
    await panelsLoaded(page);
    expect(await headings.count()).toBe(view === 'prompts' ? 0 : 1);
    expect(await opacities(page)).toEqual([]);
  });

  it('is accessible, in light and dark, on desktop and phone', async () => {
    const { open, organizationUrl, entries } = demo();
    const page = await open('/models');
    const entry = entries.find(({ billed_parts: parts }) => parts !== null);
    const session = busiestSession(entries);
    const view = (path: string, title: string | RegExp) => async () => {
      await navigateTo(page, organizationUrl + path, title);
      await panelsLoaded(page);
    };
    const views: Record<string, () => Promise<void>> = {
      overview: view('/overview', 'Overview'),
      'range popover': async () => {
        await page.getByRole('button', { name: /^Time range/ }).click();
        await page.getByRole('dialog').getByRole('grid').waitFor();
      },
      usage: view('/usage?group=user_id&compare=previous', 'Usage'),
      'chart as a table': () => page.getByRole('button', { name: /^Show table/ }).click(),
      logs: view('/logs', 'Logs'),
      request: view(`/logs/${entry?.id}`, entry?.model ?? ''),
      prompts: view('/prompts', 'Prompts'),
      prompt: view('/prompts?prompt_id=support-chat', 'support-chat'),
      sessions: view('/sessions', 'Sessions'),
      session: view(`/sessions?session_id=${session}`, session),
      models: view(`/models?model=${entry?.provider}/${entry?.model}`, 'Models'),
      billing: view('/billing', 'Billing'),
      statement: view(`/billing/statements/${busiestMonth(entries)}`, /^Statement/),
    };
    const findings: Record<string, string[]> = {};
    for (const [index, [name, show]] of Object.entries(views).entries()) {
      await page.setViewportSize(devices.desktop);
      await show();
      for (const appearance of appearancesOf(index)) {
        await setAppearance(page, appearance);
        findings[`${name}, ${Object.values(appearance).join(', ')}`] = await accessibilityFindings(page);
      }
    }

    expect(Object.values(findings).length).toBeGreaterThanOrEqual(13);
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
  });
}

/** Returns the opacity of each panel that is busy. */
function opacities(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('main [aria-busy=true] > div:first-child'), (panel) => getComputedStyle(panel).opacity)`,
  );
}

/** Returns the function that lets the page have its figures. */
async function holdResponses(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/analytics/**', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}
