import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from '../button.tsx';
import { Notice } from './notice.tsx';

type Pages = Pick<
  UseInfiniteQueryResult<unknown>,
  'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error' | 'fetchNextPage'
>;

interface LoadMoreProps {
  query: Pages;
  label?: string;
}

/** Loads the next page of a list, and says why that has failed. Nothing at the end of the list. */
export function LoadMore({ query, label = 'Load more' }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className="flex flex-col gap-3">
      {query.isFetchNextPageError && (
        <Notice tone="danger" role="alert">
          {query.error?.message}
        </Notice>
      )}
      <div className="flex justify-center">
        <Button pending={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          {query.isFetchNextPageError ? 'Try again' : label}
        </Button>
      </div>
    </div>
  );
}
