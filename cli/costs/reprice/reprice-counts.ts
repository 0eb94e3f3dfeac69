/** What a run of `costs reprice` did, in numbers. */
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';

export interface RepriceCounts {
  read: number;
  /** Entries that have another price now. */
  changed: number;
  /** Entries that have usage and still no price. */
  stillUnknown: number;
  /** What the changed entries cost now, minus what they cost before. */
  difference: Usd;
}

export const noCounts: RepriceCounts = { read: 0, changed: 0, stillUnknown: 0, difference: '0' };

export function addCounts(left: RepriceCounts, right: RepriceCounts): RepriceCounts {
  return {
    read: left.read + right.read,
    changed: left.changed + right.changed,
    stillUnknown: left.stillUnknown + right.stillUnknown,
    difference: addUsd(left.difference, right.difference),
  };
}

export function countChange(counts: RepriceCounts, cost: { before: Usd; after: Usd }): void {
  counts.changed += 1;
  counts.difference = addUsd(counts.difference, subtractUsd(cost.after, cost.before));
}
