import { formatCount } from '#dashboard/components/numbers/format.ts';
import type { StatementTotals } from '#lambdas/accounts/analytics/responses.ts';

/** Returns such as "3 requests without a known price". */
export function requestsWithoutPrice({ unpriced_requests: count }: StatementTotals): string {
  return `${formatCount(count)} ${count === 1 ? 'request' : 'requests'} without a known price`;
}
