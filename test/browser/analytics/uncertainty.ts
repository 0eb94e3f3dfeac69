import { expect, it } from 'vitest';
import { formatExactUsd, formatUsd } from '#dashboard/components/values/usd-format.ts';
import {
  describeUncertainty,
  type UncertainSum,
  uncertainCostSentences,
  unpricedSentence,
} from '#dashboard/metrics/uncertainty.ts';
import { uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import { busiestMonth, type DemoDashboard, weeks, weeksInApi } from '#test/support/browser/demo-dashboard.ts';
import { devices } from '#test/support/browser/user.ts';

/** The locale of the browser. */
const locale = 'en-GB';

function hasEveryKind({ assumed_requests, estimated_requests, unpriced_requests }: UncertainSum): boolean {
  return [assumed_requests, estimated_requests, unpriced_requests].every((count) => Number(count) > 0);
}

export function testUncertainty(demo: () => DemoDashboard): void {
  it('of the spend is named in sentences, and by a mark that is reached by keyboard and by touch', async () => {
    const { api, open } = demo();
    const report = await api.costs(weeksInApi);
    const page = await open('/overview', weeks);
    const text = describeUncertainty(report) ?? '';
    const mark = page.getByLabel('Figures').getByRole('button', { name: text, exact: true });
    const sentences = [
      ...uncertainCostSentences(report, (amount) => formatUsd(amount, locale)),
      unpricedSentence(report),
    ];
    const shown = sentences.map((sentence) => page.getByText(`${sentence}`, { exact: true }).count());
    // The mark has its text for screen readers, and the tooltip repeats it.
    const tooltip = page.getByText(text, { exact: true }).nth(1);

    expect(hasEveryKind(report)).toBe(true);
    expect(await Promise.all(shown)).toEqual(sentences.map(() => 1));
    await page.getByRole('button', { name: /^Time range/ }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => tooltip.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
    await page.setViewportSize(devices.phone);
    await mark.dispatchEvent('click');
    await tooltip.waitFor();
  });

  it('of a statement is named with exact amounts', async () => {
    const { api, open, entries } = demo();
    const month = busiestMonth(entries);
    const end = new Date(Date.parse(month) + 32 * 86_400_000).toISOString().slice(0, 7);
    const report = await api.costs({ start: `${month}-01T00:00:00Z`, end: `${end}-01T00:00:00Z` });
    const sentences = [
      ...uncertainCostSentences(report, (amount) => formatExactUsd(amount, locale)),
      unpricedSentence(report),
    ];
    const page = await open(`/billing/statements/${month}`);
    const shown = sentences.map((sentence) => page.getByText(`${sentence}`, { exact: true }).count());

    expect(hasEveryKind(report)).toBe(true);
    expect(await Promise.all(shown)).toEqual(sentences.map(() => 1));
  });

  it.each([
    ['estimated', 'Estimated usage', /^≈ estimated \$/],
    ['assumed', 'Assumed price', /^≈ assumed \$/],
    ['unpriced', 'Unpriced', 'Unpriced'],
  ] as const)('of a request that is %s is a badge beside its cost', async (kind, badge, cost) => {
    const { open, entries } = demo();
    const entry = entries.find((each) => uncertaintyOf(each) === kind);
    const page = await open(`/logs/${entry?.id}`);

    expect(await page.getByRole('region', { name: 'Cost' }).getByText(badge, { exact: true }).count()).toBe(
      kind === 'unpriced' ? 2 : 1,
    );
    await page.getByRole('main').getByText(cost).first().waitFor();
  });
}
