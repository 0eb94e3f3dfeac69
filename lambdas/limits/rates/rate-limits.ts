/** Rate limits of organizations and API keys. */
import type { RateLimitName, RateLimits } from '#lambdas/access/rate-limits.ts';
import type { BudgetScope } from '../budgets/budget.ts';

export const rateLimitNames = [
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent',
] as const satisfies readonly RateLimitName[];

/** The owner of rate limits, like that of budgets: the whole organization if `keyId` is `null`, else the first of rotated keys. */
export type RateLimitScope = BudgetScope;

/** `null` if none of the limits is set. Those that are `null` are left out. */
export function rateLimitsOf(limits: Partial<Record<RateLimitName, number | null>>): RateLimits | null {
  const set = rateLimitNames.flatMap((name) => {
    const limit = limits[name] ?? null;
    return limit === null ? [] : [[name, limit] as const];
  });
  return set.length === 0 ? null : Object.fromEntries(set);
}

/** Inclusive. */
export const maxRateLimits: Required<RateLimits> = {
  requests_per_minute: 10_000_000,
  tokens_per_minute: 10_000_000_000,
  concurrent: 100_000,
};
