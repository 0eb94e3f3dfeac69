/** Alignment of exact amounts on the decimal point. */

/** As many as amounts of money always show. */
const minDecimals = 2;

export function decimalsOf(amount: string): number {
  return Math.max(minDecimals, /\.(\d+)$/.exec(amount)?.[1]?.length ?? 0);
}

export function maxDecimals(amounts: readonly string[]): number {
  return Math.max(minDecimals, ...amounts.map(decimalsOf));
}
