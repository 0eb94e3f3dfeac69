import type { UseQueryResult } from '@tanstack/react-query';
import { CloudAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { EmptyState } from './empty-state.tsx';

interface QueryPanelProps<Data> {
  query: UseQueryResult<Data>;
  /** Has the size of the loaded content. */
  skeleton: ReactNode;
  children: (data: Data) => ReactNode;
}

/** The data of a query, or that it is loading or has failed. Loaded data stays when a later refresh fails. */
export function QueryPanel<Data>({ query, skeleton, children }: QueryPanelProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.isError) {
    return (
      <div aria-busy="true">
        {skeleton}
        <span className="sr-only">Loading…</span>
      </div>
    );
  }
  return (
    <div role="alert">
      <EmptyState
        icon={CloudAlert}
        title="This could not be loaded"
        action={
          <Button size="small" pending={query.isFetching} onClick={() => query.refetch()}>
            Try again
          </Button>
        }
      >
        {query.error.message}
      </EmptyState>
    </div>
  );
}
