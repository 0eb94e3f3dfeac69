/** Merges the parts in which a stream reports its usage. */
import { isRawNumber, roundRawNumber } from '#lambdas/platform/json/exact-json.ts';
import { filterObjects, isJsonObject, type JsonObject, numberOr } from '#lambdas/platform/json/json.ts';

/** The usage of one response, from all of its frames so far. */
export interface UsageFrames {
  /** Ignores anything but an object. */
  add(frame: unknown): void;
  /** Sets counts for which a lower value is no contradiction. */
  replace(counts: JsonObject): void;
  /** `null` before the first frame. */
  readonly usage: JsonObject | null;
  /** True once a frame had a lower count than an earlier one. */
  readonly hasDecreased: boolean;
}

/** More than providers use. Objects further down are not merged, since merging is recursive. */
const maxLevels = 6;

/**
 * Providers that send several frames report cumulative counts: of two counts, the higher one is kept. Values that are not
 * counts, such as a cost or a duration, are those of the last frame. Zeros, `null` and empty objects replace nothing: some
 * servers end with a frame of zeros, or add only the cost.
 */
export function createUsageFrames(): UsageFrames {
  let usage: JsonObject | null = null;
  let hasDecreased = false;

  const merge = (earlier: JsonObject, later: JsonObject, level = 1): JsonObject => {
    const merged = { ...earlier };
    for (const [name, value] of Object.entries(later)) {
      const known = Object.hasOwn(merged, name) ? merged[name] : undefined;
      if (known === undefined || known === null) merged[name] = value;
      else if (level < maxLevels && isMergeable(known) && isMergeable(value))
        merged[name] = merge(known, value, level + 1);
      else if (isEmpty(value)) continue;
      else if (isLower(name, value, known)) hasDecreased = true;
      else merged[name] = value;
    }
    return merged;
  };
  return {
    add(frame) {
      if (isJsonObject(frame)) usage = usage === null ? frame : merge(usage, frame);
    },
    replace(counts) {
      usage = { ...usage, ...counts };
    },
    get usage() {
      return usage;
    },
    get hasDecreased() {
      return hasDecreased;
    },
  };
}

/** Names of counts, but not of rates and durations, such as `tokens_per_second` and `time_to_first_token`. */
const countName = /(?:tokens|tokenCount|search_requests|audio_seconds)$/i;

/** Compares counts, and lists of counts by their sums. */
function isLower(name: string, later: unknown, earlier: unknown): boolean {
  if (Array.isArray(later) && Array.isArray(earlier)) return sumOfCounts(later) < sumOfCounts(earlier);
  const [count, knownCount] = [roundRawNumber(later), roundRawNumber(earlier)];
  if (typeof count !== 'number' || typeof knownCount !== 'number') return false;
  return count < knownCount && countName.test(name);
}

function sumOfCounts(list: readonly unknown[]): number {
  const counts = filterObjects(list)
    .flatMap(Object.entries)
    .filter(([name]) => countName.test(name));
  return counts.reduce((sum, [, count]) => sum + numberOr(roundRawNumber(count), 0), 0);
}

function isMergeable(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || roundRawNumber(value) === 0) return true;
  return (
    (isMergeable(value) && Object.keys(value).length === 0) || (Array.isArray(value) && value.length === 0)
  );
}
