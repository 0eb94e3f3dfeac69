/** When a key was used, by the UTC day: the API counts requests by day for this long. */

import { formatDate } from '#dashboard/components/values/time-format.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';

const countedDays = 90;

/** Returns such as "Today", "22 Nov 2026", "Never" or "Not in 90 days". */
export function lastUsedText(
  { last_used_on: day, created_at: createdAt }: Pick<ApiKeySummary, 'last_used_on' | 'created_at'>,
  now: Date,
  locale?: Intl.LocalesArgument,
): string {
  if (day === null) {
    const isOlder = now.getTime() - Date.parse(createdAt) >= countedDays * dayMs;
    return isOlder ? `Not in ${countedDays} days` : 'Never';
  }
  if (day === utcDay(now)) return 'Today';
  if (day === utcDay(new Date(now.getTime() - dayMs))) return 'Yesterday';
  return formatDate(new Date(`${day}T00:00:00Z`), locale, 'UTC');
}

function utcDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Returns such as "48,210 requests", or "12M requests" from a million on. */
export function requestsText(count: number, locale?: Intl.LocalesArgument): string {
  const notation = count < 1_000_000 ? 'standard' : 'compact';
  const text = new Intl.NumberFormat(locale, { notation }).format(count);
  return `${text} ${count === 1 ? 'request' : 'requests'}`;
}
