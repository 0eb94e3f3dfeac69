import { fromUnits, toUnits, type Usd } from '#lambdas/platform/money.ts';

/** Decimal text with at most twelve decimals, such as `0.5`. */
export type Percent = string;

const onePercent = toUnits('1');

/** True if the difference is more than that percentage of the amount. Of nothing, any difference is more. */
export function exceedsTolerance(difference: Usd, amount: Usd, tolerance: Percent): boolean {
  return magnitude(difference) * 100n * onePercent > toUnits(tolerance) * magnitude(amount);
}

/** Rounded to two decimals. Positive for a positive difference, also of a credit; `null` for a percentage of nothing. */
export function percentOf(difference: Usd, amount: Usd): Percent | null {
  const whole = magnitude(amount);
  if (whole === 0n) return null;
  const hundredths = (magnitude(difference) * 20_000n + whole) / (2n * whole);
  const percent = fromUnits((hundredths * onePercent) / 100n);
  return difference.startsWith('-') && hundredths > 0n ? `-${percent}` : percent;
}

export function maxMagnitude(left: Usd, right: Usd): Usd {
  return magnitude(left) > magnitude(right) ? left : right;
}

function magnitude(amount: Usd): bigint {
  const units = toUnits(amount);
  return units < 0n ? -units : units;
}
