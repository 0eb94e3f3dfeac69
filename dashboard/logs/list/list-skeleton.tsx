import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';

const widths = ['w-3/5', 'w-1/2', 'w-2/3'];

/** Fills a screen, as a page of entries does. */
export function ListSkeleton() {
  return (
    <div>
      <div className="hidden h-10 min-[80rem]:block" />
      {Array.from({ length: 16 }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          className="flex h-15.25 items-center border-t border-line px-5 first-of-type:border-t-0 min-[80rem]:h-10.25"
        >
          <Skeleton className={`h-4 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}
