/** Months of UTC, such as `2026-11`. */
import { dateFormat } from '#dashboard/components/values/locale.ts';

function isMonth(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(value);
}

export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** Returns the present month and those before it, the newest first. */
export function recentMonths(now: Date, count: number): [string, ...string[]] {
  const monthBefore = (distance: number) =>
    monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - distance)));
  return [monthOf(now), ...Array.from({ length: count - 1 }, (_, index) => monthBefore(index + 1))];
}

/** Returns text such as "November 2026". */
export function monthTitle(month: string, locale?: Intl.LocalesArgument): string {
  if (!isMonth(month)) return month;
  const format = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' }, locale);
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

interface BillingSearch {
  /** The month that is shown in detail; the present one if it is missing. */
  month?: string;
}

export function parseBillingSearch({ month }: Record<string, unknown>): BillingSearch {
  return { month: isMonth(month) ? month : undefined };
}
