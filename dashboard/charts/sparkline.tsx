interface SparklineProps {
  /** Null where there is no data. */
  values: readonly (number | null)[];
}

const [width, height] = [100, 28];

/** Half of the line's width, which would be cut off. */
const padding = 1.5;

/** The course of a figure beside it, which needs no text of its own. It takes the width of its place. */
export function Sparkline({ values }: SparklineProps) {
  const parts = partsWithData(values);
  const lines = parts.map((points) => `M${points.join('L')}h0`);
  const areas = parts.map((points) => {
    const [first, last] = [points[0], points.at(-1)].map((point) => point?.[0]);
    return `M${first},${height}L${points.join('L')}L${last},${height}Z`;
  });
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="block h-7 w-full text-accent"
    >
      <path d={areas.join('')} className="fill-current" opacity="0.1" />
      <path
        d={lines.join('')}
        fill="none"
        className="stroke-current"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

type Point = readonly [x: number, y: number];

/** Returns the points between gaps. `line` of d3-shape does so too, but takes 3 kB of the first view. */
function partsWithData(values: readonly (number | null)[]): Point[][] {
  const max = Math.max(...values.map((value) => value ?? 0));
  const parts: Point[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const x = (index / Math.max(1, values.length - 1)) * width;
    const y = height - padding - (max > 0 ? value / max : 0) * (height - 2 * padding);
    const isConnected = (values[index - 1] ?? null) !== null;
    const part = (isConnected ? parts.at(-1) : undefined) ?? parts[parts.push([]) - 1];
    part?.push([round(x), round(y)]);
  }
  return parts;
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}
