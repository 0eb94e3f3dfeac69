import type { ReactNode } from 'react';
import { approximately } from '../money/usd-format.ts';
import { certaintyOf, type PricedRequest } from './certainty.ts';

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
