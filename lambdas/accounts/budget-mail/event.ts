import * as z from 'zod/mini';
import { budgetPeriods, budgetThresholds } from '#lambdas/limits/budget.ts';
import type { BudgetEvent } from '#lambdas/limits/events.ts';

const schema = z.object({
  id: z.string(),
  organization_id: z.string(),
  api_key_id: z.nullable(z.string()),
  period: z.enum(budgetPeriods),
  period_start: z.iso.datetime(),
  period_end: z.iso.datetime(),
  threshold: z.literal(budgetThresholds),
  amount_usd: z.string().check(z.regex(/^\d+(\.\d{1,12})?$/)),
  spent_usd: z.string().check(z.regex(/^-?\d+(\.\d{1,12})?$/)),
});

/** Throws for anything but the detail of a `BudgetEvent`. */
export function parseBudgetEvent(detail: unknown): BudgetEvent {
  return schema.parse(detail);
}
