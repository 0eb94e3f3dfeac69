/** How much an answer about costs may read, so that every question has a bounded price and takes a bounded time. */
import { planCosts } from './cost-plan.ts';
import type { CostQuery } from './cost-query.ts';
import { type GatewayError, invalidRequest } from './gateway-error.ts';
import { endOfPeriod, startOfPeriod } from './period.ts';

/** What an item is read for: as a sum, or as an entry of the span that this bound of the window cuts. */
const costItems = ['sum', 'start', 'end'] as const;
export type CostItem = (typeof costItems)[number];

export interface CostBudget {
  /** Throws a `GatewayError` (400) that names the parameter to change when there is nothing left to spend. */
  spend(item: CostItem, count: number): void;
}

export function createCostBudget(query: CostQuery, highestItems: number): CostBudget {
  const spent: Record<CostItem, number> = { sum: 0, start: 0, end: 0 };
  return {
    spend(item, count) {
      spent[item] += count;
      if (spent.sum + spent.start + spent.end <= highestItems) return;
      const [most = item] = costItems.toSorted((one, other) => spent[other] - spent[one]);
      throw most === 'sum'
        ? tooManySums(query, highestItems)
        : tooManyEntries(query, { bound: most, highestItems });
    },
  };
}

function tooManySums(query: CostQuery, highestItems: number): GatewayError {
  const { groupBy, interval } = query;
  const isGrouped = planCosts(query).groups !== 'model';
  const ways = [
    ...(isGrouped ? ['group by something that has fewer values'] : []),
    ...(interval === 'hour' ? ['take interval day'] : []),
    'take a start and an end that are closer together',
  ];
  return invalidRequest(
    isGrouped ? 'group_by' : 'start',
    `There are too many sums${isGrouped ? ` by ${groupBy}` : ''} in this window, as an answer adds up at most ` +
      `${highestItems} items: ${ways.join(', or ')}`,
  );
}

function tooManyEntries(
  query: CostQuery,
  { bound, highestItems }: { bound: 'start' | 'end'; highestItems: number },
): GatewayError {
  const { smallest } = planCosts(query);
  const { startMs, endMs } = query.window;
  const cutMs = bound === 'start' ? startMs : endMs;
  const whole = [startOfPeriod(smallest, cutMs), endOfPeriod(smallest, cutMs)];
  return invalidRequest(
    bound,
    `${bound} cuts one ${smallest} in two, which has too many requests for that, as an answer adds up at most ` +
      `${highestItems} items: put it at ${whole.map((ms) => new Date(ms).toISOString()).join(' or ')}`,
  );
}
