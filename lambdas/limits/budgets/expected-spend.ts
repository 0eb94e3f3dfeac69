/**
 * The spend to be expected at the end of a period, by one rule for the projection of the month and for budgets. The elapsed part
 * counts to the millisecond, so that neither the first hours nor the last day of a month are taken for whole days.
 */

import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';

/** With less of the period elapsed, there is too little to project from: 3 days of a month, 2.4 hours of a day. */
const minElapsedShare = 0.1;

/** Returns the part of the period that has elapsed, from 0 to 1. */
export function elapsedShare({ startMs, endMs }: TimeWindow, nowMs: number): number {
  return Math.min(1, Math.max(0, (nowMs - startMs) / (endMs - startMs)));
}

/**
 * Returns the spend at the end of the period if the rest of it costs as much per hour as the elapsed part, rounded half up;
 * `null` while less than a tenth has elapsed.
 */
export function expectedSpend(spentUsd: Usd, period: TimeWindow, nowMs: number): Usd | null {
  if (elapsedShare(period, nowMs) < minElapsedShare) return null;
  if (nowMs >= period.endMs) return spentUsd;
  const elapsed = BigInt(nowMs - period.startMs);
  const whole = BigInt(period.endMs - period.startMs);
  return fromUnits((2n * toUnits(spentUsd) * whole + elapsed) / (2n * elapsed));
}
