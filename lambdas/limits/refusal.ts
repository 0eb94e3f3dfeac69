import type { RateLimitName } from '#lambdas/access/rate-limits.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import type { BudgetPeriod } from './budgets/budget.ts';

/** The limit that has refused a request, as it was at that moment, in the names of the request's log entry. */
export type Refusal = BudgetRefusal | RateLimitRefusal;

interface RefusalOwner {
  owner: 'organization' | 'api_key';
  /** The key whose limit it is, the first one of those that have replaced each other; `null` for that of the organization. */
  api_key_id: string | null;
}

export interface BudgetRefusal extends RefusalOwner {
  by: 'budget';
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

export interface RateLimitRefusal extends RefusalOwner {
  by: 'rate_limit';
  limit: RateLimitName;
  /** Requests or tokens per minute, or concurrent requests. */
  limit_value: number;
  /** When the request would have been admitted, if no other one had been sent in the meantime. */
  retry_after_ms: number;
}
