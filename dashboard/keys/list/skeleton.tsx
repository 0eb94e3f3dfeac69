import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';

/** Three keys, at their final height. */
export function KeyTableSkeleton() {
  return (
    <div className="@container">
      <div className="hidden h-10 @[55rem]:block" />
      {['w-40', 'w-52', 'w-32'].map((width) => (
        <div
          key={width}
          className="flex h-63 items-start gap-8 border-t border-line px-5 py-4 first:border-t-0 @[55rem]:h-16.25 @[55rem]:items-center @[55rem]:py-0"
        >
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            <Skeleton className={`h-4 max-w-full ${width}`} />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="hidden h-4 w-24 @[55rem]:block" />
          <Skeleton className="hidden h-4 w-20 @[55rem]:block" />
          <Skeleton className="hidden h-4 w-20 @[55rem]:block" />
          <Skeleton className="hidden h-4 w-28 @[55rem]:block" />
        </div>
      ))}
    </div>
  );
}
