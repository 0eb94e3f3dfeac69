/** The shape of a cost that rises with each request. */
import { area, curveStepBefore, line } from 'd3-shape';

/** Units of the drawing, which is stretched to the width of its place. */
export const [width, height] = [1000, 100];

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

export const stepLine = line<Point>(
  ([x]) => x,
  ([, y]) => y,
).curve(curveStepBefore);

export const stepArea = area<Point>()
  .x(([x]) => x)
  .y0(height)
  .y1(([, y]) => y)
  .curve(curveStepBefore);
