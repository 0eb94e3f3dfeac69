import { classNames } from '../class-names.ts';

/** The place of a text that is loading; `className` gives its size. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden className={classNames('block animate-pulse rounded-md bg-selected', className)} />;
}

const widths = ['w-2/3', 'w-1/2', 'w-3/5', 'w-2/5'];

/** A table that is loading. */
export function TableSkeleton({ rows = 3 }: { rows?: number }) {
  return (
    <div className="@container">
      <div className="hidden h-10 @[42rem]:block" />
      {Array.from({ length: rows }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          className="flex h-16 items-center border-t border-line px-5 first-of-type:border-t-0 @[42rem]:first-of-type:border-t"
        >
          <Skeleton className={`h-5 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}
