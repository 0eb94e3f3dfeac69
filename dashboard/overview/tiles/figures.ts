/** The tiles of the overview: what each reads from a report. */

import { formatShare } from '#dashboard/components/values/number-format.ts';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { type Change, pointsChange, ratioChange, relativeChange } from './change.ts';

export interface Figure {
  title: string;
  /** One, or the median and the 95th percentile. */
  metrics: readonly [MetricName, ...MetricName[]];
  /** A second figure, beside the title. */
  note: (totals: CostTotals) => string | null;
  /** Compares a metric with the preceding range; null without anything to compare with. */
  changeOf: (metric: MetricName, report: CostReport) => Change | null;
}

export const figures: readonly Figure[] = [
  {
    title: 'Spend',
    metrics: ['cost'],
    note: ({ mean_cost_usd: mean }) => (mean === null ? null : `${formatUsd(mean)} each`),
    changeOf: (_metric, { previous }) => relativeChange(previous?.cost_change ?? null, 'neutral'),
  },
  {
    title: 'Requests',
    metrics: ['requests'],
    note: ({ client_closed_requests: closed }) =>
      closed === 0 ? null : `${closed.toLocaleString()} canceled`,
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
    note: ({ error_requests: errors }) => (errors === 0 ? null : `${errors.toLocaleString()} failed`),
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
    note: () => 'p50 · p95',
    changeOf: relativeTo('bad'),
  },
  {
    title: 'First token',
    metrics: ['first_token_p50', 'first_token_p95'],
    note: () => 'p50 · p95',
    changeOf: relativeTo('bad'),
  },
];

function relativeTo(rise: 'bad' | 'neutral'): Figure['changeOf'] {
  return (metric, { totals, previous }) => {
    const value = metrics[metric].valueOf(totals);
    const before = previous && metrics[metric].valueOf(previous.totals);
    return relativeChange(ratioChange(value, before), rise);
  };
}
