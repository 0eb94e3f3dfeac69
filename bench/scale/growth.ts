/** How a cost grows with what causes it. */

export interface Step {
  n: number;
  cost: number;
}

export interface Growth extends Step {
  /** Of one of the n. */
  each: number;
  /** That, against the step before: at most 1 is linear or better. `null` of the first. */
  ratio: number | null;
  /** Of each that is more than in the step before. */
  eachMore: number | null;
}

export function growthOf(steps: readonly Step[]): Growth[] {
  return steps.map(({ n, cost }, place) => {
    const each = cost / n;
    const before = steps[place - 1];
    if (before === undefined) return { n, cost, each, ratio: null, eachMore: null };
    return {
      n,
      cost,
      each,
      ratio: each / (before.cost / before.n),
      eachMore: (cost - before.cost) / (n - before.n),
    };
  });
}

/** The power of n that passes for linear: two measurements of one thing differ by a quarter, over a step of ten times n. */
const linearPower = 1.1;

export function verdict(growth: readonly Growth[]): string {
  const powers = growth.flatMap(({ n, ratio }, place) => {
    const before = growth[place - 1];
    return before === undefined || ratio === null
      ? []
      : [{ n, power: 1 + Math.log(ratio) / Math.log(n / before.n) }];
  });
  const [steepest] = powers.toSorted((one, other) => other.power - one.power);
  if (steepest === undefined) return 'One step says nothing of growth.';
  const power = steepest.power.toFixed(2);
  return steepest.power <= linearPower
    ? `Linear or better: in no step faster than n^${power}.`
    : `**Worse than linear**: up to ${steepest.n.toLocaleString('en')} with n^${power}.`;
}
