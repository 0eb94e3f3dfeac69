import { comparisonOf } from '#dashboard/range/comparison.ts';
import { useRange, useRangeSearch } from '#dashboard/range/range-bar.tsx';

/** Returns the range of the overview and its comparison, for links to the usage, which compares the same. */
export function useComparedSearch() {
  const { choice } = comparisonOf(useRange());
  return { ...useRangeSearch(), compare: choice };
}
