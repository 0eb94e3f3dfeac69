/** The tiles of the overview: what each reads from a report. */
import {
  formatChange,
  formatCount,
  formatPoints,
  formatShare,
} from '#dashboard/components/values/number-format.ts';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { type MetricName, meanCostOf, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';

export interface Figure {
  title: string;
  /** One, or the median and the 95th percentile. */
  metrics: readonly [MetricName, ...MetricName[]];
  /** A line below the figure, unless it has a second one. */
  note: (totals: CostTotals) => string | null;
  /** Compares a metric with the preceding range; `null` without anything to compare with. */
  changeOf: (metric: MetricName, report: CostReport) => Change | null;
}

export const figures: readonly Figure[] = [
  {
    title: 'Spend',
    metrics: ['cost'],
    note: (totals) => {
      const mean = meanCostOf(totals);
      return mean === null ? null : `${formatUsd(mean)} each`;
    },
    changeOf: (metric, report) =>
      relativeChange(report.previous?.cost_change ?? null, 'neutral') ?? newFigure(metric, report),
  },
  {
    title: 'Requests',
    metrics: ['requests'],
    note: requestNote,
    changeOf: relativeTo('neutral'),
  },
  {
    title: 'Tokens',
    metrics: ['tokens'],
    note: (totals) => {
      const share = metrics.cached_share.valueOf(totals);
      return share === null ? null : `${formatShare(share)} cached`;
    },
    changeOf: relativeTo('neutral'),
  },
  {
    title: 'Error rate',
    metrics: ['error_rate'],
    note: ({ error_requests: errors }) =>
      errors === 0 ? null : `${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`,
    changeOf: (metric, { totals, previous }) =>
      pointsChange(
        metrics[metric].valueOf(totals),
        previous && metrics[metric].valueOf(previous.totals),
        'bad',
      ),
  },
  {
    title: 'Latency',
    metrics: ['latency_p50', 'latency_p95'],
    note: () => null,
    changeOf: relativeTo('bad'),
  },
  {
    title: 'First token',
    metrics: ['first_token_p50', 'first_token_p95'],
    note: () => null,
    changeOf: relativeTo('bad'),
  },
];

/** Rejected requests are not among those of the figure. Canceled ones are, and less important. */
function requestNote({
  client_closed_requests: canceled,
  rejected_requests: rejected,
}: CostTotals): string | null {
  if (rejected) return `served · ${formatCount(rejected)} rejected`;
  return canceled === 0 ? null : `${formatCount(canceled)} canceled`;
}

function relativeTo(rise: 'bad' | 'neutral'): Figure['changeOf'] {
  return (metric, report) => {
    const value = metrics[metric].valueOf(report.totals);
    const before = report.previous && metrics[metric].valueOf(report.previous.totals);
    return relativeChange(ratioChange(value, before), rise) ?? newFigure(metric, report);
  };
}

/** Null unless the figure was zero before and is not any more. */
function newFigure(metric: MetricName, { totals, previous }: CostReport): Change | null {
  const before = previous && metrics[metric].valueOf(previous.totals);
  if (before !== 0 || !metrics[metric].valueOf(totals)) return null;
  return { direction: 'new', text: 'new', tone: 'neutral' };
}

export interface Change {
  /** `new`: there was nothing before. */
  direction: 'up' | 'down' | 'none' | 'new';
  /** Such as "12.4%", "12 ×", or "0.4 pt" of a share. */
  text: string;
  tone: 'good' | 'bad' | 'neutral';
}

/** Whether a rise is good or bad. Rising spending is neither. */
type RiseMeaning = 'bad' | 'neutral';

/** @param change relative: 0.25 is 25 % more */
export function relativeChange(
  change: number | null,
  rise: RiseMeaning,
  locale?: Intl.LocalesArgument,
): Change | null {
  return change === null ? null : changeOf(change, formatChange(Math.abs(change), locale), rise);
}

/** Compares two shares. The change is in percentage points. */
export function pointsChange(
  current: number | null,
  previous: number | null,
  rise: RiseMeaning,
  locale?: Intl.LocalesArgument,
): Change | null {
  if (current === null || previous === null) return null;
  const change = current - previous;
  return changeOf(change, formatPoints(Math.abs(change), locale), rise);
}

/** Null without a figure to compare with. */
export function ratioChange(current: number | null, previous: number | null): number | null {
  return current === null || previous === null || previous === 0 ? null : current / previous - 1;
}

function changeOf(change: number, text: string, rise: RiseMeaning): Change {
  // A change that rounds to zero has no direction.
  if (!/[1-9]/.test(text)) return { direction: 'none', text, tone: 'neutral' };
  const direction = change > 0 ? 'up' : 'down';
  if (rise === 'neutral') return { direction, text, tone: 'neutral' };
  return { direction, text, tone: direction === 'up' ? 'bad' : 'good' };
}
