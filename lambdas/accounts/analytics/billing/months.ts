import { invalidRequest } from '#lambdas/platform/errors.ts';
import { endOfPeriod, parsePeriodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

const monthPattern = /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/;

/** A UTC month, such as `2026-11`. Throws a `GatewayError` (400) for one that has not begun. */
export function parseMonth(text: string, now: Date): TimeWindow {
  if (!monthPattern.test(text)) {
    throw invalidRequest('month', 'month must be a month since 1970, such as 2026-11');
  }
  const startMs = parsePeriodText(text);
  if (startMs > now.getTime()) {
    throw invalidRequest('month', `month must not be in the future: ${text} has not begun in UTC`);
  }
  return { startMs, endMs: endOfPeriod('month', startMs) };
}
