import type { ReactNode } from 'react';
import { formatCount } from '#dashboard/components/numbers/format.ts';
import type { OtherCosts } from '#lambdas/accounts/analytics/responses.ts';
import type { FigureRow } from './figure-table.tsx';

/**
 * The groups that are not listed, if there are any.
 *
 * @param mark before the name, as before those of the groups
 */
export function otherRow(other: OtherCosts | null, mark?: ReactNode): FigureRow[] {
  if (other === null) return [];
  const name = (
    <span className="flex items-center gap-2.5 font-normal text-muted">
      {mark}
      Other ({formatCount(other.groups)})
    </span>
  );
  return [{ key: 'other', name, totals: other.totals }];
}
