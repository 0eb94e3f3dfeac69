import { expect, it } from 'vitest';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import {
  describeUncertainty,
  type UncertainSum,
  uncertainCostSentences,
  unpricedSentence,
} from '#dashboard/metrics/uncertainty.ts';
import { type DemoDashboard, weeks, weeksInApi } from '#test/support/browser/demo-dashboard.ts';
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
    // After the title and the details of what needs attention.
    for (const key of ['Tab', 'Tab', 'Tab']) await page.keyboard.press(key);
    await expect.poll(() => tooltip.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
    await page.setViewportSize(devices.phone);
    await mark.dispatchEvent('click');
    await tooltip.waitFor();
  });
}
