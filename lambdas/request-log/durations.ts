/** Durations of the request log. Plain data, so that the stack and the admin commands can import it. */

import { minuteMs } from '#lambdas/platform/duration.ts';

/**
 * The maximum duration of a request: Lambda's maximum timeout. Entries are written when the request ends, so at most
 * this long after the timestamp in their id.
 */
export const maxRequestMs = 15 * minuteMs;

/**
 * Limits all attempts to write an entry together. An entry gets its write time before the first attempt, so it can reach the
 * stream this much later.
 */
export const maxEntryWriteMs = 5000;

/** The maximum difference between the clocks that set the timestamps of ids, entries and stream records. */
export const clockSkewToleranceMs = minuteMs;

/** The maximum time from a request to its entry in the table, by one clock: the request itself, and a minute for the write. */
export const maxEntryDelayMs = maxRequestMs + minuteMs;

/** The same by two clocks: the time in an entry's id is from one function, that of its write or count from another. */
export const maxEntryDelayWithSkewMs = maxRequestMs + maxEntryWriteMs + clockSkewToleranceMs;
