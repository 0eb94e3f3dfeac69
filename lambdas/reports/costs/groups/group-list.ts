/** Adds up the groups of a report, and divides them into those that it lists and the others. */
import {
  countedRequests,
  isZero,
  subtractTotals,
  sumTotals,
  type Totals,
} from '#lambdas/costs/rollups/totals.ts';

/** `null` is the group of the requests without a value. */
export type GroupValue = string | null;

export type CostGroups = Map<GroupValue, Totals>;

export interface GroupTotals {
  value: GroupValue;
  totals: Totals;
}

/** `other` is the sum of the groups that are not listed; `null` when all are listed. */
export interface GroupList {
  groups: GroupTotals[];
  other: { groups: number; totals: Totals } | null;
}

/** Omits groups whose rows cancel each other out. */
export function sumGroups(parts: Iterable<GroupTotals>): CostGroups {
  const groups: CostGroups = new Map();
  for (const [value, members] of Map.groupBy(parts, (part) => part.value)) {
    const totals = sumTotals(members.map((part) => part.totals));
    if (!isZero(totals)) groups.set(value, totals);
  }
  return groups;
}

/**
 * Requests without a value have no rollup row: the group `null` is the difference between `all` and the others. With
 * `countsRejected`, rejected requests form a group, too.
 */
export function withRest(groups: CostGroups, all: Totals, countsRejected: boolean): CostGroups {
  const rest = subtractTotals(all, sumTotals(groups.values()));
  const counted = countsRejected ? rest : { ...rest, rejected_requests: 0 };
  return countedRequests(counted) > 0 ? new Map(groups).set(null, rest) : groups;
}

/** Lists the groups in the order of `values`. Omits values that have no group. */
export function listGroups(groups: CostGroups, values: readonly GroupValue[]): GroupList {
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
