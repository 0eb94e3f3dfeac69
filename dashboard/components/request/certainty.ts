/** How certain the cost of one request is. */

import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type Uncertainty, uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import { formatExactUsd } from '../money/usd-format.ts';

export type PricedRequest = Pick<LogEntry, 'pricing' | 'usage_source' | 'outcome'>;

/**
 * An unreported cost counts as 0: a provider was called, which reported neither usage nor a cost. Where none was called, it is
 * certain that there was no cost.
 */
type Certainty = Uncertainty | 'unreported' | 'certain';

export function certaintyOf(entry: PricedRequest): Certainty {
  if (entry.pricing === null && entry.outcome !== 'rejected') return 'unreported';
  return uncertaintyOf(entry) ?? 'certain';
}

/** Returns such as "$0.00472, estimated", with all decimals. */
export function costTitle(entry: PricedRequest & Pick<LogEntry, 'cost_usd'>): string {
  const certainty = certaintyOf(entry);
  const amount = formatExactUsd(entry.cost_usd);
  switch (certainty) {
    case 'certain':
      return amount;
    case 'assumed':
    case 'estimated':
      return `${amount}, ${certainty}`;
    case 'unpriced':
      return 'No known price';
    case 'unreported':
      return 'No cost reported';
    default:
      return certainty satisfies never;
  }
}
