/** Options that the budget commands share. */
import { z } from 'zod';
import { budgetPeriods } from '#lambdas/limits/budgets/budget.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';
import { keyId, organizationId } from '../options.ts';

/** Remains decimal text, in the notation of `Usd`. */
export const amount = z
  .string()
  .regex(
    /^\d{1,9}(\.\d{1,6})?$/,
    'must be an amount of US dollars with at most 9 digits and 6 decimals, such as 250 or 99.5',
  )
  .transform((text) => fromUnits(toUnits(text)))
  .refine((usd) => usd !== '0', 'must be more than 0: to refuse all requests of a key, use "key revoke"');

/** One budget: an organization and a key have at most one for each period. */
export const budgetOptions = z.object({
  organization: organizationId,
  key: keyId.nullable().default(null),
  period: z.enum(budgetPeriods, 'must be day or month'),
});
