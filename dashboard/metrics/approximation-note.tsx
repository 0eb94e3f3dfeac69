import { approximately, formatUsd } from '#dashboard/components/values/usd-format.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { percentileErrorText } from './metrics.ts';
import { isCertain, uncertainCostSentences } from './uncertainty.ts';

interface ApproximationNoteProps {
  /** All rows of the table have figures of it, the last one its totals. */
  report: CostReport;
  hasPercentiles: boolean;
}

/** Says what ≈ means in a table of a report, where it stands before spend or before a latency; nothing without any. */
export function ApproximationNote({ report, hasPercentiles }: ApproximationNoteProps) {
  const { totals, other, groups } = report;
  const rows = [totals, ...groups.map((group) => group.totals), ...(other ? [other.totals] : [])];
  // Sums with unpriced requests have another mark.
  const hasSpend = rows.some((row) => row.unpriced_requests === 0 && !isCertain(row));
  const hasLatency = hasPercentiles && rows.some(({ latency_ms: latency }) => latency?.exact === false);
  if (!hasSpend && !hasLatency) return null;
  const mark = approximately.trim();
  return (
    <div className="border-t border-line px-5 py-2.5 text-xs text-muted">
      {hasSpend && (
        <p>
          {mark} before spend: {uncertainCostSentences(totals, formatUsd).join(' ')}
        </p>
      )}
      {hasLatency && (
        <p>
          {mark} before a latency: {percentileErrorText(report.max_percentile_error)}
        </p>
      )}
    </div>
  );
}
