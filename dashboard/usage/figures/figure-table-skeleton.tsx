import { Skeleton } from '#dashboard/components/feedback/skeleton.tsx';

const widths = ['w-2/3', 'w-1/2', 'w-3/5', 'w-2/5'];

/** A table of figures that is loading. */
export function FigureTableSkeleton({ rows }: { rows: number }) {
  return (
    <div className="@container">
      <div className="hidden h-10 @[54rem]:block" />
      {Array.from({ length: rows }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          className="flex h-42 items-center border-t border-line px-5 first-of-type:border-t-0 @[54rem]:h-11 @[54rem]:first-of-type:border-t"
        >
          <Skeleton className={`h-4 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}
