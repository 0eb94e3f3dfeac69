import { type ChartSeries, type Colour, cssColour } from '../chart.ts';

export function Swatch({ colour }: { colour: Colour }) {
  return (
    <span
      aria-hidden
      className="size-2 shrink-0 rounded-[2px]"
      style={{ backgroundColor: cssColour(colour) }}
    />
  );
}

interface LegendProps {
  series: readonly ChartSeries[];
  onEmphasize: (seriesId: string | null) => void;
}

/** The names of the series. Pointing at one emphasizes it, which the tooltip makes dispensable. */
export function Legend({ series, onEmphasize }: LegendProps) {
  return (
    <ul className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-x-4 gap-y-0.5 text-xs @[36rem]:flex @[36rem]:flex-wrap">
      {series.map(({ id, name, colour }) => (
        <li
          key={id}
          className="flex h-6 min-w-0 items-center gap-2"
          onPointerEnter={() => onEmphasize(id)}
          onPointerLeave={() => onEmphasize(null)}
        >
          <Swatch colour={colour} />
          <span className="max-w-64 truncate" title={name}>
            {name}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Explains the bars of periods that have not ended. */
export function HatchedEntry() {
  return (
    <span className="flex shrink-0 items-center gap-2">
      <span
        aria-hidden
        className="size-2.5 rounded-[2px] bg-[repeating-linear-gradient(135deg,var(--color-muted)_0_1.5px,transparent_1.5px_3.5px)]"
      />
      Hatched: so far
    </span>
  );
}
