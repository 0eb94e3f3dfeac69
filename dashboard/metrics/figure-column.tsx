import type { ReactNode } from 'react';
import { Usd } from '#dashboard/components/money/usd.tsx';
import { formatCount } from '#dashboard/components/numbers/format.ts';
import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { type MetricName, metrics } from './metrics.ts';
import { UncertaintyMark } from './uncertainty-mark.tsx';

/** A column of figures. */
export interface FigureColumn {
  title: string;
  cell: (totals: CostTotals) => ReactNode;
}

export function metricColumn(name: MetricName, title: string = metrics[name].title): FigureColumn {
  return { title, cell: (totals) => metrics[name].textOf(totals) };
}

/** Says how much of the sum is not certain. */
export const spendColumn: FigureColumn = {
  title: metrics.cost.title,
  cell: (totals) => (
    <span className="inline-flex h-5 items-center gap-1.5 align-top">
      <UncertaintyMark sum={totals} />
      <Usd amount={totals.cost_usd} />
    </span>
  ),
};

export const meanCostColumn: FigureColumn = {
  title: 'Per request',
  cell: ({ mean_cost_usd: mean }) => (mean === null ? '–' : <Usd amount={mean} />),
};

/** Requests that were rejected before a provider was called are in no other figure. */
export const rejectedColumn: FigureColumn = {
  title: 'Rejected',
  cell: ({ rejected_requests: rejected }) => (rejected === null ? '–' : formatCount(rejected)),
};
