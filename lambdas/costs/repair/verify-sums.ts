/**
 * Confirms that days are not the sums of their hours, or months not those of their days.
 *
 * Rows cannot all be read at the same moment, and the stream adds to one after the other: an entry that was written,
 * priced again or put back meanwhile may be in one row and not yet in the next. So a difference counts only if it is
 * still the same after everything that was in flight has been counted.
 */
import type { Comparison } from './compare-day.ts';
import { compareSums, type Span } from './compare-sums.ts';
import { type Difference, nameOfDifference } from './differences.ts';
import type { RepairParts } from './repair-parts.ts';

/** The differences that were found in a span, not confirmed yet. */
export interface Suspicion {
  span: Span;
  differences: Difference[];
}

/** Between the second look and the third, so that finding the same difference again is no coincidence. */
const lastLookMs = 10_000;

/** Resolves to the differences that stay what they are. */
export async function confirmSuspicions(
  parts: RepairParts,
  comparison: Comparison,
  suspicions: Suspicion[],
): Promise<Difference[]> {
  let unresolved = suspicions;
  for (const waitMs of [comparison.settleMs, lastLookMs]) {
    if (unresolved.length === 0) return [];
    await parts.job.wait(waitMs, 'until what was being counted has been counted');
    const persistent: Suspicion[] = [];
    for (const { span, differences } of unresolved) {
      const again = new Set((await compareSums(parts, comparison, span)).map(nameOfDifference));
      const same = differences.filter((difference) => again.has(nameOfDifference(difference)));
      if (same.length > 0) persistent.push({ span, differences: same });
    }
    unresolved = persistent;
  }
  return unresolved.flatMap(({ differences }) => differences);
}
