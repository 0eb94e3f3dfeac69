import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSessionEnded } from './client.ts';

/** @param onSessionEnded called when a call is refused with 401 */
export function createQueryClient(onSessionEnded: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSessionEnded(error)) onSessionEnded();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Calls fail without a connection, rather than wait for one without a word.
      queries: { staleTime: 10_000, retry: isRetryable, retryDelay: 500, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
}

function isRetryable(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
