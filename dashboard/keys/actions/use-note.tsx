import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { costsQuery, newestLogsQuery } from '#dashboard/api/analytics.ts';
import { countRequests, isAttempt } from '#dashboard/components/request/outcome.ts';
import { ForeignText } from '#dashboard/components/values/foreign-text.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { CostTotals, ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { type CallerField, callersOf, maxCountedEntries } from '../callers.ts';
import { requestsText } from '../key-cells.tsx';

/** The first of the last 30 days in UTC: `2026-10-24`. */
function startOfUse(now: Date): string {
  return new Date(now.getTime() - 30 * dayMs).toISOString().slice(0, 10);
}

/** Tells before a key is ended what would stop. It is read anew: a report from before a request would say that nothing stops. */
export function UseNote({ keyId }: { keyId: string }) {
  const { id: organizationId } = useOrganization();
  const [start] = useState(() => startOfUse(new Date()));
  const conditions = { start, api_key_id: keyId };
  const report = useQuery({ ...costsQuery(organizationId, conditions), refetchOnMount: 'always' });
  const newest = useQuery({
    ...newestLogsQuery(organizationId, { ...conditions, limit: maxCountedEntries }),
    refetchOnMount: 'always',
  });
  if (report.isError) return 'Its use could not be loaded.';
  if (report.data === undefined || !report.isFetchedAfterMount) return 'Its use is being loaded…';
  return (
    <UseSummary
      totals={report.data.totals}
      entries={newest.isFetchedAfterMount ? newest.data?.data : undefined}
    />
  );
}

interface UseSummaryProps {
  /** The sums of the last 30 days. */
  totals: CostTotals;
  /** The newest ones of that time; `undefined` while they load, and if they cannot. */
  entries: readonly ListedLogEntry[] | undefined;
}

/**
 * Such as "1,078 requests in the last 30 days for $12.30, and 5 rejected. The last one was 2 minutes ago.", with users and prompts.
 */
export function UseSummary({ totals, entries: newest = [] }: UseSummaryProps) {
  const entries = newest.filter((entry) => !isAttempt(entry));
  const [last] = entries;
  const isRejected = ({ outcome }: ListedLogEntry) => outcome === 'rejected';
  // The newest ones may not be counted yet.
  const rejected = Math.max(totals.rejected_requests ?? 0, countRequests(entries.filter(isRejected)));
  const requests = Math.max(totals.requests, entries.filter((entry) => !isRejected(entry)).length);
  if (requests + rejected === 0) return 'It has not been used in the last 30 days.';
  return (
    <>
      {requestsText(requests)} in the last 30 days for <Usd amount={totals.cost_usd} />
      {rejected > 0 && `, and ${formatCount(rejected)} rejected`}.
      {last && (
        <>
          {' '}
          The last one was <Time value={last.created_at} format="relative" />.
        </>
      )}
      <TopCallers label="Users" field="user_id" entries={entries} />
      <TopCallers label="Prompts" field="prompt_id" entries={entries} />
    </>
  );
}

const maxShown = 3;

interface TopCallersProps {
  label: string;
  field: CallerField;
  entries: readonly ListedLogEntry[];
}

/** Such as "Users: ada (60), bob (39) and 4 more, of the newest 100 requests." */
function TopCallers({ label, field, entries }: TopCallersProps) {
  const callers = callersOf(entries, field);
  if (callers.length === 0) return null;
  const others = callers.length - maxShown;
  return (
    <span className="mt-1 block">
      {label}:{' '}
      {callers.slice(0, maxShown).map(({ value, requests }, index) => (
        <span key={value}>
          {index > 0 && ', '}
          <span className="wrap-anywhere text-text">
            <ForeignText>{value}</ForeignText>
          </span>{' '}
          ({requests})
        </span>
      ))}
      {others > 0 && ` and ${others} more`}
      {entries.length === maxCountedEntries && `, of the newest ${maxCountedEntries} requests`}.
    </span>
  );
}
