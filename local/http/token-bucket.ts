/** Admits so many at once, and so many a second from then on. */
export interface TokenBucket {
  /** `false` when there is none left. */
  take(): boolean;
}

export function createTokenBucket(settings: {
  burst: number;
  ratePerSecond: number;
  /** In milliseconds. */
  now: () => number;
}): TokenBucket {
  const { burst, ratePerSecond, now } = settings;
  let tokens = burst;
  let filledAt = now();
  return {
    take() {
      const elapsedMs = now() - filledAt;
      filledAt += elapsedMs;
      tokens = Math.min(burst, tokens + (elapsedMs / 1000) * ratePerSecond);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
