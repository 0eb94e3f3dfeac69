import { Page } from '../page.tsx';
import { Card } from '../section.tsx';
import { Skeleton } from './skeletons.tsx';

/** A view whose data decides what it shows. */
export function PageSkeleton({ title }: { title: string }) {
  return (
    <Page title={title} description={<Skeleton className="h-5 w-64" />}>
      <div aria-busy="true">
        <Card>
          <div className="flex flex-col gap-4 p-5">
            <Skeleton className="h-5 w-2/5" />
            <Skeleton className="h-5 w-3/5" />
            <Skeleton className="h-5 w-1/2" />
          </div>
        </Card>
        <span className="sr-only">Loading…</span>
      </div>
    </Page>
  );
}
