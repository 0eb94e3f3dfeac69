/** Durations that hold for all cost rollups. Plain data, since the stack and the commands use them too. */

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
export const streamRetentionMs = 24 * 3_600_000;

/** An entry is in the sums a second or so after it was written; after this time it is, unless the rollup function lags. */
export const rollupDelayMs = 5 * 60_000;
