import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type LogParameters, newestLogsQuery } from '#dashboard/api/analytics.ts';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { isAttempt } from '#dashboard/components/request/outcome.ts';
import { skipReasonText } from '#dashboard/components/request/skip-reason.ts';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { formatDuration } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import type { SkippedTarget } from '#lambdas/request-log/fields/skipped-target.ts';
import type { EntryProps } from './entry-props.ts';

/** The targets of a route: those that the request was sent to, in turn, and those that it was not. */
export function AttemptsSection({ entry }: EntryProps) {
  const { route, attempt, skipped_targets: skipped } = entry;
  if (route === null) return null;
  const hasSeveral = isAttempt(entry) || (attempt ?? 1) > 1;
  if (!hasSeveral && skipped === null) return null;
  return (
    <Section title="Targets of the route" description={hasSeveral ? attemptsText(entry) : undefined}>
      {hasSeveral && <Attempts entry={entry} />}
      {skipped !== null && <SkippedTargets targets={skipped} />}
    </Section>
  );
}

function attemptsText(entry: EntryProps['entry']): string {
  return isAttempt(entry)
    ? 'This attempt failed, and the request was sent to another target.'
    : `The request was sent to ${entry.attempt} targets, one after the other. Each attempt has its own cost.`;
}

/** The entries of a request and of its attempts have ids of the same millisecond. */
export function attemptsQuery(organizationId: string, createdAt: string) {
  const end = new Date(Date.parse(createdAt) + 1).toISOString();
  return newestLogsQuery(organizationId, { start: createdAt, end, limit: 100 } satisfies LogParameters);
}

/** The entries of the same request, the first attempt first. */
export function attemptsOf(
  entries: readonly ListedLogEntry[],
  { id, superseded_by: requestId }: Pick<ListedLogEntry, 'id' | 'superseded_by'>,
): ListedLogEntry[] {
  return entries
    .filter((each) => (each.superseded_by ?? each.id) === (requestId ?? id))
    .sort((one, other) => (one.attempt ?? 1) - (other.attempt ?? 1));
}

function Attempts({ entry }: EntryProps) {
  const { id: organizationId } = useOrganization();
  const query = useQuery(attemptsQuery(organizationId, entry.created_at));
  if (query.data === undefined)
    return <QueryStatus query={query} skeleton={<TableSkeleton rows={entry.attempt ?? 1} />} />;
  return (
    <Table
      label="Attempts"
      columns={columnsFor(entry.id, organizationId)}
      items={attemptsOf(query.data.data, entry)}
      itemKey={({ id }) => id}
    />
  );
}

/** `shownId` is the entry of the page, which has no link. */
function columnsFor(
  shownId: string,
  organizationId: string,
): [Column<ListedLogEntry>, ...Column<ListedLogEntry>[]] {
  return [
    {
      title: 'Target',
      cell: ({ id, provider, model }) => {
        const target = `${provider}/${model}`;
        return id === shownId ? (
          <span className="wrap-anywhere" aria-current="page">
            {target}
          </span>
        ) : (
          <Link
            to="/organizations/$organizationId/logs/$logId"
            params={{ organizationId, logId: id }}
            className="rounded-sm font-medium wrap-anywhere text-accent underline-offset-3 hover:underline"
          >
            {target}
          </Link>
        );
      },
    },
    {
      title: 'Outcome',
      cell: (attempt) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <StatusCode entry={attempt} /> {attempt.error_code}
        </span>
      ),
    },
    {
      title: 'Time',
      align: 'end',
      // The entry of the request has its whole time.
      cell: (attempt) => (isAttempt(attempt) ? formatDuration(attempt.latency_ms) : '–'),
    },
    {
      title: 'Cost',
      align: 'end',
      cell: (attempt) => (
        <EntryCost entry={attempt}>
          <Usd amount={attempt.cost_usd} />
        </EntryCost>
      ),
    },
  ];
}

function SkippedTargets({ targets }: { targets: readonly SkippedTarget[] }) {
  return (
    <div className="border-t border-line px-5 py-4 first:border-t-0">
      <h3 className="text-[0.8125rem] font-medium text-muted">Not sent to</h3>
      <ul className="mt-2 flex flex-col gap-1.5">
        {targets.map((skipped, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a target can be listed with different parameters
          <li key={index} className="wrap-anywhere">
            <span className="font-medium">{skipped.target}</span>
            <span className="text-muted">: {skipReasonText(skipped)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
