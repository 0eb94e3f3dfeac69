import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestLogsQuery } from '#dashboard/api/analytics.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';

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
