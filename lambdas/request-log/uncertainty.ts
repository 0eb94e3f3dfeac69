/** Tells how certain the cost of a request is, and counts the requests whose cost is not. */
import { addUsd, ratioOf, type Usd } from '#lambdas/platform/money.ts';
import type { LogEntry } from './entry.ts';

/** By the least certain part of a cost: its price is unknown or assumed, or only its usage is estimated. */
export type Uncertainty = 'unpriced' | 'assumed' | 'estimated';

/** `null` for a certain cost, and for a request that cost nothing. */
export function uncertaintyOf({
  pricing,
  usage_source,
}: Pick<LogEntry, 'pricing' | 'usage_source'>): Uncertainty | null {
  switch (pricing) {
    case 'unknown':
      return 'unpriced';
    case 'assumed':
      return 'assumed';
    case 'configuration':
    case 'table':
      return usage_source === 'provider' ? null : 'estimated';
    case 'provider':
    case null:
      return null;
    default:
      return pricing satisfies never;
  }
}

/** No request is in two of the counts. Unpriced requests cost 0. */
export interface UncertainRequests {
  unpriced_requests: number;
  assumed_requests: number;
  estimated_requests: number;
}

export interface UncertainCosts {
  assumed_cost_usd: Usd;
  estimated_cost_usd: Usd;
}

export function uncertainRequests(uncertainty: Uncertainty | null): UncertainRequests {
  return {
    unpriced_requests: Number(uncertainty === 'unpriced'),
    assumed_requests: Number(uncertainty === 'assumed'),
    estimated_requests: Number(uncertainty === 'estimated'),
  };
}

/** `usd` is the cost of the request, or a part of it. */
export function uncertainCosts(uncertainty: Uncertainty | null, usd: Usd): UncertainCosts {
  return {
    assumed_cost_usd: uncertainty === 'assumed' ? usd : '0',
    estimated_cost_usd: uncertainty === 'estimated' ? usd : '0',
  };
}

/** The share of assumed and estimated costs as in `ratioOf`; `null` if the cost is 0. */
export function uncertainShare({
  cost_usd,
  assumed_cost_usd,
  estimated_cost_usd,
}: UncertainCosts & { cost_usd: Usd }): number | null {
  return ratioOf(addUsd(assumed_cost_usd, estimated_cost_usd), cost_usd);
}
