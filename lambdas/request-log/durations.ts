/** Durations that hold for the whole log of requests. Plain data, since the stack and the commands use them too. */

/**
 * The longest that a request can run, which is Lambda's longest timeout. Its entry, written at its end, is at most so
 * much younger than its id.
 */
export const maxRequestMs = 15 * 60_000;

/** By how much the clocks may differ that ids, entries and records of the stream get their times from. */
export const clockSkewToleranceMs = 60_000;
