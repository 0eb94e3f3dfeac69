/** Reads the counts in a provider's usage. */
import { roundRawNumber } from '#lambdas/platform/json/exact-json.ts';
import { noUsage, type TokenUsage, type UsageKind, withMissing } from '#lambdas/pricing/usage.ts';

/** Remembers the kinds whose counts could not be read, since the rest must not be billed as if it were complete. */
export interface CountReader {
  /** Returns `null` for a missing count and for one that is not a whole number. */
  find(value: unknown, kind: UsageKind): number | null;
  /** Like `find`, but returns 0 instead of `null`. */
  read(value: unknown, kind: UsageKind): number;
  /** Like `find`, for a count that every usage has: it cannot be left out. */
  require(value: unknown, kind: UsageKind): number | null;
  /** Adds a kind that the caller knows to be missing. */
  markMissing(kind: UsageKind): void;
  missing(): Pick<TokenUsage, 'missing'>;
}

/**
 * More than any request can have. A larger count could make the log entry invalid or overflow a sum in the cost
 * rollups, which would block the stream.
 */
const maxCount = 1_000_000_000;

export function createCountReader(): CountReader {
  const kinds: UsageKind[] = [];
  const find = (value: unknown, kind: UsageKind): number | null => {
    if (value === undefined || value === null) return null;
    const count = roundRawNumber(value);
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= maxCount) return count;
    kinds.push(kind);
    return null;
  };
  return {
    find,
    read: (value, kind) => find(value, kind) ?? 0,
    require(value, kind) {
      const count = find(value, kind);
      if (count === null) kinds.push(kind);
      return count;
    },
    markMissing: (kind) => kinds.push(kind),
    missing() {
      const { missing } = withMissing(noUsage, kinds);
      return missing === undefined ? {} : { missing };
    },
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
