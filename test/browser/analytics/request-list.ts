import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { type DemoDashboard, weeks, weeksInApi } from '#test/support/browser/demo-dashboard.ts';
import { downloadedRecords, listedIds, panelsLoaded } from '#test/support/browser/page-content.ts';
import { sumUsd } from '#test/support/browser/public-api.ts';

const listCalls = '**/analytics/*/logs?*';

export function testRequestList(demo: () => DemoDashboard): void {
  it('follows new requests, but not while the page is hidden', async () => {
    const { openTab, organizationUrl, chat } = demo();
    const page = await openTab();
    const running = new Set<Request>();
    page.on('request', (call) => running.add(call));
    page.on('requestfinished', (call) => running.delete(call));
    page.on('requestfailed', (call) => running.delete(call));
    // The time of the page, which polls every two seconds.
    await page.clock.install();
    await page.goto(`${organizationUrl}/logs?range=1h&live=1`);
    await panelsLoaded(page);
    const before = new Set(await listedIds(page));
    const arrived = async () => (await listedIds(page)).filter((id) => !before.has(id)).length;
    const arrivedAfterPoll = async () => {
      await page.clock.runFor(2000);
      return arrived();
    };
    await Promise.all([chat(), chat(), chat()]);
    await expect.poll(arrivedAfterPoll).toBe(3);

    await setVisibility(page, 'hidden');
    await expect.poll(() => running.size).toBe(0);
    const calls: string[] = [];
    // Besides the code of views, which is loaded in the background.
    page.on('request', (call) => call.url().includes('/assets/') || calls.push(call.url()));
    await chat();
    await page.clock.runFor(120_000);
    expect([calls, await arrived()]).toEqual([[], 3]);
    await setVisibility(page, 'visible');
    await expect.poll(arrivedAfterPoll).toBe(4);
  });

  it('has less than 1,500 elements with 1,000 requests, of which the last can be reached', async () => {
    const { api, openTab, organizationUrl } = demo();
    const [newest] = await api.logs(weeksInApi);
    const data = Array.from({ length: 1000 }, (_, index) => ({ ...newest, id: String(9999 - index) }));
    const page = await openTab();
    await page.route(listCalls, (route) =>
      route.fulfill({ json: { object: 'list', data, limit: 1000, has_more: false, next_cursor: null } }),
    );
    await page.goto(`${organizationUrl}/logs?${new URLSearchParams(weeks)}`);
    await panelsLoaded(page);
    const countElements = () => page.evaluate<number>(`document.querySelectorAll('*').length`);

    expect(await page.getByRole('table', { name: 'Requests' }).getAttribute('aria-rowcount')).toBe('1001');
    expect(await listedIds(page)).toContain('9999');
    expect(await countElements()).toBeLessThan(1500);
    await page.keyboard.press('End');
    await expect.poll(() => listedIds(page)).toContain('9000');
    expect(await countElements()).toBeLessThan(1500);
  });

  it('is searched by the id of a response, until it is found', async () => {
    const { entries, open } = demo();
    const page = await open('/logs', { ...weeks, time_zone: 'UTC' });
    const [, second = entries[0]] = entries;
    const list = { object: 'list', limit: 1, has_more: true, sorted: null, tail: null };
    let pages = 0;
    await page.route('**/analytics/*/logs?*response_id=chatcmpl-abc123456*', (route) => {
      pages += 1;
      const isLast = pages > 21;
      const position = { next_cursor: String(pages), searched_back_to: `${weeks.start}T12:00:00.000Z` };
      return route.fulfill({ json: { ...list, ...position, data: isLast ? [second] : [] } });
    });
    await page.getByLabel('Find a request by ID').fill('{"id": "chatcmpl-abc123456"');
    await page.keyboard.press('Enter');
    await page.getByText(/^Searched back to .*12:00/).waitFor();
    expect(pages).toBe(20);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`**/logs/${second?.id}?*`);
    expect(pages).toBe(22);
  });

  it('filtered by the id of an older response leads to the longest range', async () => {
    const { entries, open } = demo();
    const { id, response_id = '' } = entries.find((entry) => entry.response_id !== null) ?? {};
    const page = await open('/logs', {
      start: '2025-01-01',
      end: '2025-01-02',
      response_id: response_id ?? '',
    });
    await page.getByRole('button', { name: 'Search the last 12 months' }).click();
    await expect.poll(() => listedIds(page)).toEqual([id]);
    expect(new URL(page.url()).searchParams.get('response_id')).toBe(response_id);
  });

  it('is saved page by page, with the amounts of the public API', async () => {
    const { api, open } = demo();
    const [listed, { total_cost_usd: cost }] = [await api.logs(weeksInApi), await api.costs(weeksInApi)];
    const page = await open('/logs', weeks);
    let pages = 0;
    await page.route(listCalls, (route) => {
      pages += 1;
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '100');
      return route.continue({ url: url.href });
    });
    const file = downloadedRecords(page.waitForEvent('download'));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    const records = await file;

    expect(records.map(({ id, cost_usd }) => [id, cost_usd])).toEqual(
      listed.map(({ id, cost_usd }) => [id, cost_usd]),
    );
    expect(sumUsd(records.map(({ cost_usd }) => cost_usd))).toBe(cost);
    expect(pages).toBe(Math.ceil(listed.length / 100));
  });
}

/** A browser without a screen shows its pages always, so the page is told. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}
