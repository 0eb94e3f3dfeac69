/** Reads the counts in a provider's usage. */
import { roundRawNumber } from '#lambdas/platform/json/exact-json.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';

/** Remembers whether a count could not be read, since the rest must not be billed as if it were complete. */
export interface CountReader {
  /** Returns `null` for a missing count and for one that is not a whole number. */
  find(value: unknown): number | null;
  /** Like `find`, but returns 0 instead of `null`. */
  read(value: unknown): number;
  /** Empty when all counts could be read. */
  completeness(): Pick<TokenUsage, 'isIncomplete'>;
}

/**
 * More than any request can have. A larger count could make the log entry invalid or overflow a sum in the cost
 * rollups, which would block the stream.
 */
const maxCount = 1_000_000_000;

export function createCountReader(): CountReader {
  let isIncomplete = false;
  const find = (value: unknown): number | null => {
    if (value === undefined || value === null) return null;
    const count = roundRawNumber(value);
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= maxCount) return count;
    isIncomplete = true;
    return null;
  };
  return {
    find,
    read: (value) => find(value) ?? 0,
    completeness: () => (isIncomplete ? { isIncomplete } : {}),
  };
}

/** The total takes precedence if the provider's counts contradict each other. */
export function cacheWriteUsage({
  total,
  fiveMinutes,
  hour,
}: {
  total: number | null;
  fiveMinutes: number;
  hour: number;
}): Pick<TokenUsage, 'cacheWriteInputTokens' | 'cacheWrite1hInputTokens'> {
  const written = total ?? fiveMinutes + hour;
  const cacheWrite1hInputTokens = Math.min(hour, written);
  return { cacheWriteInputTokens: written - cacheWrite1hInputTokens, cacheWrite1hInputTokens };
}
