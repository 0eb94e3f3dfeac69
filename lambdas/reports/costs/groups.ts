import { addTotals, noTotals, subtractTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';

/** `null` is the group of the requests without a value. */
export type GroupValue = string | null;

export type CostGroups = Map<GroupValue, Totals>;

/** `other` is the sum of the groups that are not listed; `null` when all are listed. */
export interface GroupList {
  groups: { value: GroupValue; totals: Totals }[];
  other: { groups: number; totals: Totals } | null;
}

/** Requests without a value have no rollup row in `parts`: the group `null` is the difference between `all` and the others. */
export function sumGroups(parts: Iterable<{ value: GroupValue; totals: Totals }>, all: Totals): CostGroups {
  const groups: CostGroups = new Map();
  for (const { value, totals } of parts) {
    if (value !== null) groups.set(value, addTotals(groups.get(value) ?? noTotals, totals));
  }
  const rest = subtractTotals(all, sumTotals(groups.values()));
  return rest.requests > 0 ? groups.set(null, rest) : groups;
}

/** Most expensive first; ties are resolved by requests, then alphabetically. */
export function topByCost(groups: CostGroups, limit: number): GroupValue[] {
  return [...groups]
    .sort(compareRank)
    .slice(0, limit)
    .map(([value]) => value);
}

/** Lists the groups in the order of `values`. Omits values that have no group. */
export function listGroups(groups: CostGroups, values: GroupValue[]): GroupList {
  const rest = new Map(groups);
  const listed = values.flatMap((value) => {
    const totals = groups.get(value);
    rest.delete(value);
    return totals === undefined ? [] : [{ value, totals }];
  });
  return {
    groups: listed,
    other: rest.size === 0 ? null : { groups: rest.size, totals: sumTotals(rest.values()) },
  };
}

function sumTotals(totals: Iterable<Totals>): Totals {
  let sum = noTotals;
  for (const each of totals) sum = addTotals(sum, each);
  return sum;
}

function compareRank(
  [value, totals]: [GroupValue, Totals],
  [otherValue, otherTotals]: [GroupValue, Totals],
): number {
  return (
    compareUsd(otherTotals.cost_usd, totals.cost_usd) ||
    otherTotals.requests - totals.requests ||
    compareValues(value, otherValue)
  );
}

/** Rounding to a double keeps the order, so the exact difference is needed only for amounts that round to the same number. */
function compareUsd(one: string, other: string): number {
  return Number(one) - Number(other) || Math.sign(Number(subtractUsd(one, other)));
}

function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
