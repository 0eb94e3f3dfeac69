import type { UseQueryResult } from '@tanstack/react-query';
import { CloudAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { EmptyState } from './empty-state.tsx';
import { RequestId } from './failure-notice.tsx';
import { useFailure } from './failures.ts';
import { OldContent } from './old-content.tsx';

interface QueryStatusProps<Data> {
  query: UseQueryResult<Data>;
  /** Has the size of the loaded content. */
  skeleton: ReactNode;
}

interface QueryPanelProps<Data> extends QueryStatusProps<Data> {
  /** Whether the data is that of another choice. By default, when it stands in for data that is loading. */
  isOld?: boolean;
  children: (data: Data) => ReactNode;
}

/** The data of a query, or that it is loading or has failed. Loaded data stays when a later refresh fails. */
export function QueryPanel<Data>({ children, isOld, ...status }: QueryPanelProps<Data>) {
  const { data, isPlaceholderData } = status.query;
  if (data === undefined) return <QueryStatus {...status} />;
  return <OldContent isOld={isOld ?? isPlaceholderData}>{children(data)}</OldContent>;
}

/** Says that a query is loading or has failed; nothing once it has data. */
export function QueryStatus<Data>({ query, skeleton }: QueryStatusProps<Data>) {
  const areSeveral = useFailure(query);
  if (query.data !== undefined) return null;
  if (!query.isError) {
    return (
      <div aria-busy="true">
        {skeleton}
        <span className="sr-only">Loading…</span>
      </div>
    );
  }
  if (areSeveral) return <p className="px-5 py-8 text-center text-muted">This could not be loaded.</p>;
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
        <RequestId error={query.error} />
      </EmptyState>
    </div>
  );
}
