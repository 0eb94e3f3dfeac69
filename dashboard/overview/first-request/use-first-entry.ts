import { useInfiniteQuery } from '@tanstack/react-query';
import { logsQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { firstRequestPollMs } from './use-has-requests.ts';

/** Returns the newest entry as soon as there is one. Waits for it only while the page is visible. */
export function useFirstEntry(): ListedLogEntry | null {
  const { data } = useInfiniteQuery({
    ...logsQuery(useOrganization().id, { limit: 1 }),
    refetchInterval: ({ state }) => (firstEntry(state.data) === null ? firstRequestPollMs : false),
  });
  return firstEntry(data);
}

function firstEntry(data: { pages: { data: ListedLogEntry[] }[] } | undefined): ListedLogEntry | null {
  return data?.pages[0]?.data[0] ?? null;
}
