import { isZero, subtractTotals, sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';

/** `null` is the group of the requests without a value. */
export type GroupValue = string | null;

export type CostGroups = Map<GroupValue, Totals>;

/** A row of a group. */
export interface GroupPart {
  value: GroupValue;
  totals: Totals;
}

/** `other` is the sum of the groups that are not listed; `null` when all are listed. */
export interface GroupList {
  groups: { value: GroupValue; totals: Totals }[];
  other: { groups: number; totals: Totals } | null;
}

/** Omits groups whose rows cancel each other out. */
export function sumGroups(parts: Iterable<GroupPart>): CostGroups {
  const groups: CostGroups = new Map();
  for (const [value, members] of Map.groupBy(parts, (part) => part.value)) {
    const totals = sumTotals(members.map((part) => part.totals));
    if (!isZero(totals)) groups.set(value, totals);
  }
  return groups;
}

/** Requests without a value have no rollup row: the group `null` is the difference between `all` and the others. */
export function withRest(groups: CostGroups, all: Totals): CostGroups {
  const rest = subtractTotals(all, sumTotals(groups.values()));
  return rest.requests > 0 ? new Map(groups).set(null, rest) : groups;
}

type CompareTotals = (one: Totals, other: Totals) => number;

/** Ties are resolved alphabetically. */
export function topGroups(groups: CostGroups, limit: number, compare: CompareTotals): GroupValue[] {
  return [...groups]
    .sort(
      ([value, totals], [otherValue, otherTotals]) =>
        compare(totals, otherTotals) || compareValues(value, otherValue),
    )
    .slice(0, limit)
    .map(([value]) => value);
}

/** Most expensive first, then most requests. */
export function byCost(one: Totals, other: Totals): number {
  return compareUsd(other.cost_usd, one.cost_usd) || other.requests - one.requests;
}

/** Most requests first, not by cost: most errors cost nothing. */
export function byErrors(one: Totals, other: Totals): number {
  return other.requests + other.rejected_requests - (one.requests + one.rejected_requests);
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

/** Rounding to a double keeps the order, so the exact difference is needed only for amounts that round to the same number. */
export function compareUsd(one: string, other: string): number {
  return Number(one) - Number(other) || Math.sign(Number(subtractUsd(one, other)));
}

function compareValues(one: GroupValue, other: GroupValue): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}
