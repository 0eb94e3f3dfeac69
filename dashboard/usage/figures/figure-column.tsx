import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Usd } from '#dashboard/components/money/usd.tsx';
import { formatCount } from '#dashboard/components/numbers/format.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { type MetricName, metrics } from '#dashboard/metrics/metrics.ts';
import type { CostTotals } from '#lambdas/accounts/analytics/responses.ts';

/** A column of figures. */
export interface FigureColumn {
  title: string;
  cell: (totals: CostTotals) => ReactNode;
}

export function metricColumn(name: MetricName, title: string = metrics[name].title): FigureColumn {
  return { title, cell: (totals) => metrics[name].textOf(totals) };
}

/** Says if some of the requests have no known price, so that the sum is too low. */
export const spendColumn: FigureColumn = {
  title: metrics.cost.title,
  cell: ({ cost_usd, unpriced_requests: unpriced }) => (
    <span className="inline-flex h-5 items-center gap-1.5 align-top">
      {unpriced > 0 && <UnpricedMark count={unpriced} />}
      <Usd amount={cost_usd} />
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

function UnpricedMark({ count }: { count: number }) {
  const text = `${formatCount(count)} ${count === 1 ? 'request has' : 'requests have'} no known price, and count as $0`;
  return (
    <Tooltip content={text}>
      <span className="text-warning">
        <TriangleAlert aria-hidden className="size-3.5" />
        <span className="sr-only">{text}</span>
      </span>
    </Tooltip>
  );
}
