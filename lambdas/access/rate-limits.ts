/** The rate limits of an organization or a key. */

/** The attributes of rate limits, and their fields in log entries and responses. */
export type RateLimitName = 'requests_per_minute' | 'tokens_per_minute' | 'concurrent';

/** Positive whole numbers; missing without a limit. At least one is present. */
export type RateLimits = Readonly<Partial<Record<RateLimitName, number>>>;
