import type { Usd } from '#lambdas/platform/money.ts';
import type { BudgetPeriod } from './budgets/budget.ts';

/** The budget that has refused a request, as it was at that moment, in the names of the request's log entry. */
export interface BudgetRefusal {
  by: 'budget';
  owner: 'organization' | 'api_key';
  /** The key whose budget it is, the first one of those that have replaced each other; `null` for that of the organization. */
  api_key_id: string | null;
  period: BudgetPeriod;
  limit_usd: Usd;
  /** The amount that could not be reserved: what the request might have cost at most. */
  needed_usd: Usd;
  /** The amount that could have been reserved at most. */
  left_usd: Usd;
  /** The end of the period: RFC 3339, milliseconds, UTC. */
  resets_at: string;
  /** True if the request would have fit without the reservations of other requests. */
  reserved_by_others: boolean;
}
