import { expect, it } from 'vitest';
import { formatExactUsd } from '#dashboard/components/money/usd-format.ts';
import { type UncertainSum, uncertainCostSentences, unpricedSentence } from '#dashboard/uncertainty/sums.ts';
import { busiestMonth, type DemoDashboard } from '#test/support/browser/demo-dashboard.ts';

/** That of the browser. */
const locale = 'en-GB';

function hasEveryKind({ assumed_requests, estimated_requests, unpriced_requests }: UncertainSum): boolean {
  return [assumed_requests, estimated_requests, unpriced_requests].every((count) => Number(count) > 0);
}

export function testUncertainty(demo: () => DemoDashboard): void {
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
}
