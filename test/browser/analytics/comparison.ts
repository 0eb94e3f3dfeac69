import { expect, it } from 'vitest';
import { approximately, formatUsd } from '#dashboard/components/values/usd-format.ts';
import { isCertain, type UncertainSum } from '#dashboard/metrics/uncertainty.ts';
import { type DemoDashboard, weeks, weeksInApi } from '#test/support/browser/demo-dashboard.ts';
import { cells, downloadedRecords, panelsLoaded } from '#test/support/browser/page-content.ts';

const spend = (totals: UncertainSum & { cost_usd: string }) =>
  (isCertain(totals) ? '' : approximately) + formatUsd(totals.cost_usd, 'en-GB');

function weekBefore(time: string): string {
  return new Date(Date.parse(time) - 7 * 86_400_000).toISOString();
}

export function testComparison(demo: () => DemoDashboard): void {
  it('of the usage has the figures of both ranges, and its file too', async () => {
    const { api, open } = demo();
    const earlier = { start: weekBefore(weeksInApi.start), end: weekBefore(weeksInApi.end) };
    const grouping = { group_by: 'model', limit: '100' };
    const [first, second] = await Promise.all([
      api.costs({ ...weeksInApi, ...grouping }),
      api.costs({ ...earlier, ...grouping }),
    ]);
    const page = await open('/usage', { ...weeks, compare: 'week' });
    const table = page.getByRole('table', { name: 'Spend compared' });
    await table.waitFor();
    const showAll = page.getByRole('button', { name: /^Show all/ });
    if (await showAll.isVisible()) await showAll.click();
    const [, ...rows] = await cells(table);
    const textsOf = (model: string | undefined) =>
      [first, second].map(({ groups }) => {
        const group = groups.find((each) => each.model === model);
        return group ? spend(group) : '–';
      });
    const models = new Set([...first.groups, ...second.groups].map(({ model }) => model));

    expect(
      rows
        .slice(0, -1)
        .map(([name = '', one, other]) => [name.replace(/(New|Gone)$/, ''), one, other])
        .toSorted(),
    ).toEqual([...models].map((model) => [model, ...textsOf(model)]).toSorted());
    expect(rows.at(-1)?.slice(0, 3)).toEqual([
      'All requests',
      spend({ ...first, cost_usd: first.total_cost_usd }),
      spend({ ...second, cost_usd: second.total_cost_usd }),
    ]);
    const file = downloadedRecords(page.waitForEvent('download'));
    await page
      .getByRole('region', { name: 'Spend compared' })
      .getByRole('button', { name: 'Export CSV' })
      .click();
    const total = (await file).find(({ is_total }) => is_total === 'true');
    expect([total?.first_cost_usd, total?.second_cost_usd]).toEqual([
      first.total_cost_usd,
      second.total_cost_usd,
    ]);
  });

  it('of a week on the overview is with the same days of the week before, which the tooltip names', async () => {
    const page = await demo().open('/overview', { range: 'last-week', time_zone: 'UTC' });
    await page.getByText('Last week, compared with the week before').waitFor();
    const request = page.waitForRequest(/\/costs\?.*compare_start=/);
    await page.reload();
    const parameters = new URL((await request).url()).searchParams;
    const [start = '', end = ''] = [parameters.get('start'), parameters.get('end')].map((date) =>
      weekBefore(`${date}T00:00:00Z`),
    );

    expect([parameters.get('compare_start'), parameters.get('compare_end')]).toEqual([start, end]);
    await panelsLoaded(page);
    const change = page.getByLabel('Figures').getByText(/^(Up|Down|Changed by|Nothing to compare with)/);
    const windows = page.locator('dt', { hasText: String(new Date(start).getUTCFullYear()) });
    let x = 0;
    const windowsAfterMove = async () => {
      x = (x + 1) % 10;
      // The text is for screen readers: its parent has a place.
      await change
        .first()
        .locator('..')
        .hover({ position: { x: x + 2, y: 5 } });
      return windows.count();
    };
    // The code of tooltips is loaded when the page is first used.
    await expect.poll(windowsAfterMove, { interval: 400 }).toBe(2);
    await page.getByRole('link', { name: /Compare Spend$/ }).click();
    await page.getByRole('table', { name: 'Spend compared' }).waitFor();
    expect(new URL(page.url()).searchParams.get('compare')).toBe('week');
  });
}
