/** Durations that hold for the whole log of requests. Plain data, since the stack and the commands use them too. */

/**
 * The longest that a request can run, which is Lambda's longest timeout. Its entry, written at its end, is at most so
 * much younger than its id.
 */
export const maxRequestMs = 15 * 60_000;
