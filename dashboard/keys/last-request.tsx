import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestLogsQuery } from '#dashboard/api/analytics.ts';
import { keyDetailsQuery } from '#dashboard/api/keys.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { formatMonthDay } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { requestsText } from './key-cells.tsx';

type UsedKey = Pick<ApiKeySummary, 'id' | 'last_used'>;

/** The newest request of a key; `undefined` while it loads or cannot, `null` if there is none since the sums of keys begin. */
function useLastRequest({ id, last_used: used }: UsedKey): ListedLogEntry | null | undefined {
  const { id: organizationId } = useOrganization();
  const { data } = useQuery({
    ...newestLogsQuery(organizationId, { api_key_id: id, limit: 1, start: firstDay(used) }),
    enabled: used !== null,
  });
  return used === null ? null : data && (data.data[0] ?? null);
}

/** The day or the month, such as `2026-11`, as a day: no earlier request has to be searched. */
function firstDay(used: string | null): string | undefined {
  return used?.length === 7 ? `${used}-01` : (used ?? undefined);
}

/** The first day of the sums of keys, that of the last UTC month: `2026-10-01`. */
function sumsSince(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 10);
}

/**
 * Tells before a key is ended what would stop: "1,078 requests since 1 Oct, the last one 2 minutes ago." It is read anew, since a
 * list that was loaded before a request would say that nothing stops.
 */
export function UseNote({ keyId }: { keyId: string }) {
  const { id: organizationId } = useOrganization();
  const { data, isFetchedAfterMount, isError } = useQuery({
    ...keyDetailsQuery(organizationId, keyId),
    refetchOnMount: 'always',
  });
  if (isError) return 'Its use could not be loaded.';
  if (data === undefined || !isFetchedAfterMount) return 'Its use is being loaded…';
  return <UseSummary apiKey={data} />;
}

export function UseSummary({
  apiKey,
}: {
  apiKey: UsedKey & Pick<ApiKeySummary, 'requests' | 'rejected_requests'>;
}) {
  const last = useLastRequest(apiKey);
  const since = `since ${formatMonthDay(sumsSince(new Date()))}`;
  if (last === null) return <>It has not been used {since}.</>;
  return (
    <>
      {requestsText(apiKey.requests + apiKey.rejected_requests)} {since}
      {last && (
        <>
          , the last one <Time value={last.created_at} format="relative" />
        </>
      )}
      .
    </>
  );
}

/** Such as "2 minutes ago", with the request. */
export function LastUse({ apiKey }: { apiKey: UsedKey }) {
  const { id: organizationId } = useOrganization();
  const last = useLastRequest(apiKey);
  if (last === undefined) return <span className="text-muted">…</span>;
  if (last === null) return 'Not used';
  return (
    <Link
      to="/organizations/$organizationId/logs/$logId"
      params={{ organizationId, logId: last.id }}
      className="rounded-sm underline-offset-3 hover:underline"
    >
      <Time value={last.created_at} format="relative" />
    </Link>
  );
}
