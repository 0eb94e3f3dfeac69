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

/** Two measurements of one thing differ by as much. */
const noise = 0.1;

export function verdict(growth: readonly Growth[]): string {
  const worst = growth.reduce<Growth | null>((most, step) => {
    return step.ratio !== null && step.ratio > (most?.ratio ?? 0) ? step : most;
  }, null);
  if (worst?.ratio == null) return 'One step says nothing of growth.';
  const said = `the highest ratio of a step to the one before is ${worst.ratio.toFixed(2)}`;
  return worst.ratio <= 1 + noise
    ? `Linear or better: ${said}.`
    : `**Worse than linear** at ${worst.n.toLocaleString('en')}: ${said}.`;
}
