/**
 * Which days are not the sums of their hours, and which months not those of their days.
 *
 * Rows cannot be read all at the same moment, and the stream adds to one after the other. So where entries came lately, a
 * difference counts only if it is the same after everything that was under way has been counted.
 */
import { endOfPeriod } from '../rollups/period.ts';
import type { Comparison } from './compare-day.ts';
import { compareSums, type Span } from './compare-sums.ts';
import { type Difference, nameOfDifference } from './differences.ts';
import { createRebuildStore } from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

export interface ReadSpan extends Span {
  /** When one of its entries was written last. */
  lastWrittenMs: number;
}

/** Differences in a span to which the stream may have been adding. */
export interface Suspicion {
  span: Span;
  differences: Difference[];
}

/** A request can be written so long after it came in. */
const longestRequestMs = 15 * 60_000;

/** Between two looks, so that the same difference twice is no coincidence. */
const secondLookMs = 10_000;

export async function isSettled(
  parts: RepairParts,
  { organizationId, settleMs }: Comparison,
  { period, startMs, lastWrittenMs }: ReadSpan,
): Promise<boolean> {
  const settledBeforeMs = parts.now().getTime() - settleMs;
  const isOver = endOfPeriod(period, startMs) < settledBeforeMs - longestRequestMs;
  if (!isOver || lastWrittenMs >= settledBeforeMs) return false;
  return !(await createRebuildStore(parts.costRollups, organizationId).find()).isRepriced;
}

/** The differences that stay what they are. */
export async function confirmSuspicions(
  parts: RepairParts,
  comparison: Comparison,
  suspicions: Suspicion[],
): Promise<Difference[]> {
  let left = suspicions;
  for (const waitMs of [comparison.settleMs, secondLookMs]) {
    if (left.length === 0) return [];
    await parts.job.wait(waitMs, 'until what was being counted has been counted');
    const looked: Suspicion[] = [];
    for (const { span, differences } of left) {
      const again = new Set((await compareSums(parts, comparison, span)).map(nameOfDifference));
      looked.push({ span, differences: differences.filter((one) => again.has(nameOfDifference(one))) });
    }
    left = looked.filter(({ differences }) => differences.length > 0);
  }
  return left.flatMap(({ differences }) => differences);
}
