/** Groups of costs by a value that requests have in common. */
import { subtractUsd } from '#lambdas/platform/money.ts';
import { addTotals, noTotals, subtractTotals, type Totals } from '../rollups/totals.ts';

/** `null` is the group of the requests that have no such value. */
export type GroupValue = string | null;

export type CostGroups = Map<GroupValue, Totals>;

/** The groups that are listed, and the sum of the others: together they are all there is. */
export interface GroupList {
  groups: { value: GroupValue; totals: Totals }[];
  other: { groups: number; totals: Totals } | null;
}

/** Requests without a value are in no sum by value: the group `null` is the rest of `all`. */
export function sumGroups(parts: Iterable<{ value: GroupValue; totals: Totals }>, all: Totals): CostGroups {
  const groups: CostGroups = new Map();
  for (const { value, totals } of parts) {
    if (value !== null) groups.set(value, addTotals(groups.get(value) ?? noTotals, totals));
  }
  const rest = subtractTotals(all, sumOf(groups.values()));
  return rest.requests > 0 ? groups.set(null, rest) : groups;
}

/** The values with the highest costs; of equal costs those with more requests first, then in order of their text. */
export function topByCost(groups: CostGroups, limit: number): GroupValue[] {
  return [...groups]
    .sort(byRank)
    .slice(0, limit)
    .map(([value]) => value);
}

/** The groups of these values, in this order, as far as there are any. */
export function listGroups(groups: CostGroups, values: GroupValue[]): GroupList {
  const rest = new Map(groups);
  const listed = values.flatMap((value) => {
    const totals = groups.get(value);
    rest.delete(value);
    return totals === undefined ? [] : [{ value, totals }];
  });
  return {
    groups: listed,
    other: rest.size === 0 ? null : { groups: rest.size, totals: sumOf(rest.values()) },
  };
}

function sumOf(totals: Iterable<Totals>): Totals {
  let sum = noTotals;
  for (const each of totals) sum = addTotals(sum, each);
  return sum;
}

function byRank([value, totals]: [GroupValue, Totals], [otherValue, others]: [GroupValue, Totals]): number {
  return (
    compareUsd(others.cost_usd, totals.cost_usd) ||
    others.requests - totals.requests ||
    compareValues(value, otherValue)
  );
}

/** Rounding keeps the order, so only amounts that are equal when rounded are compared by every digit. */
function compareUsd(one: string, other: string): number {
  return Number(one) - Number(other) || Math.sign(Number(subtractUsd(one, other)));
}

function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
