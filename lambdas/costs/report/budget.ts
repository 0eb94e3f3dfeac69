/** Limits the items that are read for a cost query, so that its price and its duration are bounded. */
import { type GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';
import { endOfPeriod, startOfPeriod } from '../rollups/period.ts';
import { totalsDimension } from '../rollups/rollup.ts';
import type { CostPlan } from './plan.ts';
import type { CostQuery } from './query.ts';

/** Sums and entries together: 15 MB of sums, or 50 MB where all are entries, and a few seconds. */
const maxItems = 50_000;

/** An item is read as a sum, or for the period that this bound of the window cuts. */
const purposes = ['sum', 'start', 'end'] as const;
export type Purpose = (typeof purposes)[number];

export interface ReadBudget {
  /** Throws a `GatewayError` (400) that names the parameter to change when too many items were read. */
  spend(purpose: Purpose, items: number): void;
}

export function createReadBudget(query: CostQuery, plan: CostPlan): ReadBudget {
  const spent: Record<Purpose, number> = { sum: 0, start: 0, end: 0 };
  return {
    spend(purpose, items) {
      spent[purpose] += items;
      if (spent.sum + spent.start + spent.end <= maxItems) return;
      const [most = purpose] = purposes.toSorted((one, other) => spent[other] - spent[one]);
      throw most === 'sum' ? tooManySums(query, plan) : tooManyEntries(query, plan, most);
    },
  };
}

function tooManySums({ groupBy, interval }: CostQuery, plan: CostPlan): GatewayError {
  const isGrouped = plan.groupDimension !== totalsDimension;
  const remedies = [
    ...(isGrouped ? ['group by something that has fewer values'] : []),
    ...(interval === 'hour' ? ['take interval day'] : []),
    'take a start and an end that are closer together',
  ];
  return invalidRequest(
    isGrouped ? 'group_by' : 'start',
    `There are too many sums${isGrouped ? ` by ${groupBy}` : ''} in this window, as an answer adds up at most ` +
      `${maxItems} items: ${remedies.join(', or ')}`,
  );
}

function tooManyEntries({ window }: CostQuery, { smallest }: CostPlan, bound: 'start' | 'end'): GatewayError {
  const cutMs = window[`${bound}Ms`];
  const whole = [startOfPeriod(smallest, cutMs), endOfPeriod(smallest, cutMs)];
  return invalidRequest(
    bound,
    `${bound} cuts one ${smallest} in two, which has too many requests for that, as an answer adds up at most ` +
      `${maxItems} items: put it at ${whole.map((ms) => new Date(ms).toISOString()).join(' or ')}`,
  );
}
