import { area, curveStepBefore, line } from 'd3-shape';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type { CallerSessionRequest } from '#lambdas/accounts/analytics/responses.ts';
import { cumulativeUncertainty } from './uncertain-costs.ts';

interface CumulativeCostProps {
  /** In order of receipt; at least one. */
  requests: readonly CallerSessionRequest[];
}

/** Units of the drawing, which is stretched to the width of its place. */
const [width, height] = [1000, 100];

const stepLine = line<Point>(
  ([x]) => x,
  ([, y]) => y,
).curve(curveStepBefore);

const stepArea = area<Point>()
  .x(([x]) => x)
  .y0(height)
  .y1(([, y]) => y)
  .curve(curveStepBefore);

/** The cost up to each request: a step for each. The table of the requests has its figures. */
export function CumulativeCost({ requests }: CumulativeCostProps) {
  const amount = requests.at(-1)?.cumulative_cost_usd ?? '0';
  const points = stepPoints(requests.map((request) => request.cumulative_cost_usd));
  const uncertain = cumulativeUncertainty(requests).at(-1);
  const count = formatCount(requests.length);
  return (
    <figure className="p-5 pb-4">
      <p className="flex items-center gap-1.5 text-lg/6 font-semibold tracking-[-0.01em]">
        {uncertain && <UncertaintyMark sum={uncertain} />}
        <Usd amount={amount} />
      </p>
      <svg
        role="img"
        aria-label={`Cumulative cost: ${formatUsd(amount)} in ${count} requests`}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="mt-3 block h-28 w-full overflow-visible border-b border-line"
      >
        <path d={stepArea(points) ?? undefined} className="fill-accent-soft" />
        <path
          d={stepLine(points) ?? undefined}
          className="fill-none stroke-accent"
          strokeWidth="1.75"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption className="mt-2 flex justify-between text-xs text-muted tabular-nums">
        <span>First request</span>
        {requests.length > 1 && <span>Request {count}</span>}
      </figcaption>
    </figure>
  );
}

type Point = readonly [x: number, y: number];

/**
 * Returns the lower left corner, and a point for the cost after each request.
 *
 * @param cumulativeCosts amounts of US dollars, which become numbers only here, to be drawn
 */
export function stepPoints(cumulativeCosts: readonly string[]): Point[] {
  const costs = cumulativeCosts.map(Number);
  const max = costs.at(-1) || 1;
  return [0, ...costs].map((cost, index) => [(index / costs.length) * width, height - (cost / max) * height]);
}
