import type { ReactNode } from 'react';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type Uncertainty, uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import { approximately, formatExactUsd } from '../values/usd-format.ts';

interface EntryCostProps {
  entry: PricedRequest;
  /** In place of a cost that the provider did not report, where there is room for more than a dash. */
  unreported?: ReactNode;
  /** The amount. */
  children: ReactNode;
}

/** The cost of a request, marked if it is assumed or estimated, or a word in its place. */
export function EntryCost({ entry, unreported = <Unreported />, children }: EntryCostProps) {
  const certainty = certaintyOf(entry);
  switch (certainty) {
    case 'certain':
      return children;
    case 'assumed':
    case 'estimated':
      return (
        <>
          <span aria-hidden className="text-muted">
            {approximately}
          </span>
          <span className="sr-only">{certainty} </span>
          {children}
        </>
      );
    case 'unpriced':
      return <span className="text-warning">Unpriced</span>;
    case 'unreported':
      return unreported;
    default:
      return certainty satisfies never;
  }
}

function Unreported() {
  return (
    <span className="text-muted">
      <span aria-hidden>–</span>
      <span className="sr-only">No cost reported</span>
    </span>
  );
}

type PricedRequest = Pick<LogEntry, 'pricing' | 'usage_source' | 'outcome'>;

/**
 * An unreported cost counts as 0: a provider was called, which reported neither usage nor a cost. Where none was called, it is
 * certain that there was no cost.
 */
type Certainty = Uncertainty | 'unreported' | 'certain';

export function certaintyOf(entry: PricedRequest): Certainty {
  if (entry.pricing === null && entry.outcome !== 'rejected') return 'unreported';
  return uncertaintyOf(entry) ?? 'certain';
}

/** Returns text such as "$0.00472, estimated", with all decimals. */
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
