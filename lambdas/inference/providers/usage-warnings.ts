/** Finds signs that the usage in a provider's response cannot be right. */
import { roundRawNumber } from '#lambdas/platform/json/exact-json.ts';
import { numberOr } from '#lambdas/platform/json/json.ts';
import type { UsageWarning } from '#lambdas/pricing/usage.ts';
import type { UsageFrames } from './usage-frames.ts';

/** The total that a provider states, and the counts that may be parts of it. */
export interface StatedTotal {
  total: unknown;
  input: unknown;
  output: unknown;
  /** Counts that some servers add to the total, and others include in input or output. */
  others: readonly unknown[];
}

const noWarnings: readonly UsageWarning[] = [];

/** `stated` is `null` for a format without a total. After a decrease, a total may be that of other counts. */
export function usageWarningsOf(
  { hasDecreased }: UsageFrames,
  stated: StatedTotal | null,
): readonly UsageWarning[] {
  if (hasDecreased) return ['counts_decreased'];
  return stated !== null && differs(stated) ? ['total_differs'] : noWarnings;
}

/**
 * False unless the total and its two main counts are numbers. A larger total contains something that is not counted; of a
 * smaller one, it is not known which count is wrong. A total that lacks the output may be from an earlier event of a stream.
 */
function differs({ total, input, output, others }: StatedTotal): boolean {
  const sum = roundRawNumber(total);
  const inputCount = roundRawNumber(input);
  const outputCount = roundRawNumber(output);
  if (typeof sum !== 'number' || sum === 0) return false;
  if (typeof inputCount !== 'number' || typeof outputCount !== 'number') return false;
  // Most totals.
  if (sum === inputCount + outputCount) return false;
  const parts = [outputCount, ...others.map((count) => numberOr(roundRawNumber(count), 0))];
  return !isSumOf(sum - inputCount, parts);
}

/** True if the sum of some of the parts, or of none, is `sum`. */
function isSumOf(sum: number, [first, ...others]: readonly number[]): boolean {
  if (first === undefined) return sum === 0;
  return isSumOf(sum, others) || isSumOf(sum - first, others);
}
