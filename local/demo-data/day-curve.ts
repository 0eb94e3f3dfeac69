/** The traffic of the demo data over a day. */
import type { Weighted } from './random.ts';

/** Relative traffic in each hour of the day, in UTC. */
const curves = {
  customers: [2, 1, 1, 1, 2, 4, 8, 14, 20, 23, 24, 22, 19, 21, 23, 22, 20, 17, 14, 12, 10, 8, 5, 3],
  office: [0, 0, 0, 0, 0, 1, 4, 14, 24, 28, 27, 22, 12, 22, 27, 26, 20, 10, 4, 2, 1, 1, 0, 0],
  night: [0, 20, 26, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
} as const;

export type DayCurve = keyof typeof curves;

export function weightedHours(curve: DayCurve): [Weighted<number>, ...Weighted<number>[]] {
  const [first, ...others] = curves[curve].map((weight, hour) => [hour, weight] as const);
  return [first ?? [0, 1], ...others];
}
