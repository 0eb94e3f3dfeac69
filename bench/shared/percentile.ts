/** The value that `share` of the values do not exceed: the nearest rank, so always one that was measured. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('Of nothing there is no percentile');
  return value;
}
