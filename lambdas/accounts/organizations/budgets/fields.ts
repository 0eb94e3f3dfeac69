/** The fields of a budget in request bodies. */
import * as z from 'zod/mini';
import { budgetPeriods } from '#lambdas/limits/budget.ts';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';

const amountPattern = /^\d{1,9}(\.\d{1,6})?$/;
const amountFormat =
  'amount_usd must be an amount of US dollars as text, with at most 9 digits and 6 decimals, such as "250" or "99.50"';

/** Becomes decimal text in the notation of `Usd`. */
const amount = z
  .pipe(
    z.string({ error: amountFormat }).check(z.regex(amountPattern, { error: amountFormat })),
    z.transform((text: string) => fromUnits(toUnits(text))),
  )
  .check(
    z.refine((usd) => usd !== '0', {
      error: 'amount_usd must be more than 0: to refuse all requests of a key, revoke it',
    }),
  );

export const period = z.enum(budgetPeriods, { error: 'period must be day or month' });

export const budgetFields = {
  period,
  amount_usd: amount,
  hard: z.boolean({ error: 'hard must be true or false' }),
};
