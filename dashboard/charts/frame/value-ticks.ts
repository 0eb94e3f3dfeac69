import { hourMs, minuteMs, secondMs } from '#lambdas/platform/duration.ts';

/**
 * Round values from zero to the maximum or just above, with steps of 1, 2 or 5 times a power of ten. Steps of counts are
 * whole. `scaleLinear` of d3 does the same, but with all its formats and interpolations takes 9 kB.
 */
export function valueTicks(max: number, steps: number, kind: ValueKind): number[] {
  if (max <= 0) return [0, 1];
  const step = stepOf(max / steps, kind);
  const count = Math.ceil(toDecimal(max / step));
  return Array.from({ length: count + 1 }, (_, index) => toDecimal(index * step));
}

/** Durations are in milliseconds. */
type ValueKind = 'amounts' | 'counts' | 'durations';

/** Up to an hour. */
const clockSteps = [secondMs, minuteMs].flatMap((unit) =>
  [1, 2, 5, 10, 15, 30, 60].map((count) => count * unit),
);

function stepOf(least: number, kind: ValueKind): number {
  if (kind === 'counts') return Math.max(1, roundUp(least));
  if (kind === 'amounts' || least <= secondMs) return roundUp(least);
  return clockSteps.find((step) => step >= least) ?? hourMs * roundUp(least / hourMs);
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5].find((candidate) => toDecimal(value / power) <= candidate) ?? 10;
  return factor * power;
}

/** Removes the error of binary fractions, such as of 0.1 * 3. */
function toDecimal(value: number): number {
  return Number(value.toPrecision(12));
}
