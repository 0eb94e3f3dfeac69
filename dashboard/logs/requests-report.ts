import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { costsQuery, type Filters } from '#dashboard/api/analytics.ts';
import { isOutcome } from '#dashboard/components/request/outcome.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  costFilterNames,
  isValueFilter,
  type ValueFilterName,
  valueFilterOf,
} from '#dashboard/filters/cost-filters.ts';
import { type ConditionName, filterNames } from '#dashboard/filters/fields.ts';
import { figureNames, hasBounds } from '#dashboard/filters/figures.ts';
import type { Conditions } from '#dashboard/filters/logs-search.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport, Interval } from '#lambdas/accounts/analytics/responses.ts';
import type { Outcome } from '#lambdas/request-log/entry.ts';

export interface RequestsReport {
  query: UseQueryResult<CostReport>;
  /** The outcome of the requests to show, as far as sums know it; null for all. */
  outcome: Outcome | null;
  /** The conditions that the report leaves out. */
  omitted: readonly ConditionName[];
}

/** The requests of the view's range over time, as far as sums can answer its filters. */
export function useRequestsReport(filters: Conditions): RequestsReport {
  const { id: organizationId } = useOrganization();
  const { bounds, interval } = useRange();
  const { applied, outcome, omitted } = chartFilters(filters);
  const parameters = { ...bounds, ...applied, interval: chartInterval(interval, applied) };
  return { query: useQuery(costsQuery(organizationId, parameters)), outcome, omitted };
}

/** The filters by one value, the one with the fewest requests first. */
const valuesBySelectivity: readonly ValueFilterName[] = [
  'session_id',
  'user_id',
  'prompt_id',
  'route',
  'api_key_id',
  'error_code',
];

/** The filters by which sums have rejected requests. */
const knownOfRejected: readonly string[] = [
  'operation',
  'route',
  'api_key_id',
  'error_code',
] satisfies (keyof Filters)[];

interface ChartFilters {
  applied: Filters;
  /** Sums have the counts of each outcome. */
  outcome: Outcome | null;
  /** The conditions that the chart leaves out. */
  omitted: readonly ConditionName[];
}

export function chartFilters(filters: Conditions): ChartFilters {
  const value = valuesBySelectivity.find((name) => filters[name] !== undefined);
  const applied: Filters = {};
  for (const name of costFilterNames) {
    const isApplied = !isValueFilter(name) || name === value;
    if (isApplied && filters[name] !== undefined) applied[name] = filters[name];
  }
  const outcome = countedOutcome(filters, applied);
  const omitted = filterNames.filter((name) => {
    const isShown = name in applied || (name === 'outcome' && outcome !== null);
    return filters[name] !== undefined && !isShown;
  });
  return {
    applied,
    outcome,
    omitted: [...omitted, ...figureNames.filter((name) => hasBounds(filters, name))],
  };
}

function countedOutcome({ outcome }: Conditions, applied: Filters): Outcome | null {
  if (!isOutcome(outcome)) return null;
  const isCounted =
    outcome !== 'rejected' || Object.keys(applied).every((name) => knownOfRejected.includes(name));
  return isCounted ? outcome : null;
}

/** Sums by a single value do not exist by the minute. */
export function chartInterval(interval: Interval, applied: Filters): Interval {
  return interval === 'minute' && valueFilterOf(applied) !== null ? 'hour' : interval;
}
