/** The month that the billing view shows in detail. */
import { isMonth } from './months.ts';

interface BillingSearch {
  /** Such as `2026-11`; the present month if it is missing. */
  month?: string;
}

export function parseBillingSearch({ month }: Record<string, unknown>): BillingSearch {
  return { month: isMonth(month) ? month : undefined };
}
