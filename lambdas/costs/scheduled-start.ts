/**
 * The start of a change in how the rollup function treats entries: the cutover of a rebuild, or a recount of a budget. An item
 * has it some seconds in advance. An invocation that did not see it in the item began earlier, so all of its records were
 * written before the start.
 */

import { secondMs } from '#lambdas/platform/duration.ts';

/** The time to write the item, plus the maximum clock skew. */
const leadMs = 10 * secondMs;
/**
 * The maximum difference between the clocks of the writer and of functions. Less than `clockSkewToleranceMs`, by which stored
 * timestamps may differ: that much would delay every rebuild and recount by a minute.
 */
const maxClockSkewMs = 4 * secondMs;

/** In milliseconds since 1970. */
export function scheduledStartMs(now: Date): number {
  return now.getTime() + leadMs;
}

/** Call when the item has been written. If false, an invocation may have begun after the start without seeing it. */
export function isScheduledInTime(startMs: number, now: Date): boolean {
  return now.getTime() < startMs - maxClockSkewMs;
}
