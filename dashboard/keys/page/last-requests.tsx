import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestLogsQuery, type TimeBounds } from '#dashboard/api/analytics.ts';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { formatCount, formatDuration } from '#dashboard/components/values/number-format.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { ListedLogEntry, LogList } from '#lambdas/accounts/analytics/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';

const maxRequests = 10;

const columns: [Column<ListedLogEntry>, ...Column<ListedLogEntry>[]] = [
  { title: 'Time', cell: (entry) => <EntryLink entry={entry} /> },
  { title: 'Model', cell: ({ model }) => <span className="wrap-anywhere">{model ?? '–'}</span> },
  { title: 'Status', cell: (entry) => <StatusCode entry={entry} /> },
  {
    title: 'Tokens',
    align: 'end',
    cell: ({ total_tokens: tokens }) => (
      <span className="tabular-nums">{tokens === null ? '–' : formatCount(tokens)}</span>
    ),
  },
  {
    title: 'Latency',
    align: 'end',
    cell: ({ latency_ms: latency }) => <span className="tabular-nums">{formatDuration(latency)}</span>,
  },
  {
    title: 'Cost',
    align: 'end',
    cell: (entry) => (
      <span className="tabular-nums">
        <EntryCost entry={entry}>{formatUsd(entry.cost_usd)}</EntryCost>
      </span>
    ),
  },
];

interface LastRequestsProps {
  keyId: string;
  bounds: TimeBounds;
}

/** The newest requests of a key in the range. */
export function LastRequests({ keyId, bounds }: LastRequestsProps) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  const query = useQuery({
    ...newestLogsQuery(organizationId, { ...bounds, api_key_id: keyId, limit: maxRequests }),
    refetchInterval: minuteMs,
  });
  return (
    <Section
      title="Last requests"
      action={
        <Link
          to="/organizations/$organizationId/logs"
          params={{ organizationId }}
          search={{ ...rangeSearch, api_key_id: keyId }}
          className={buttonClasses({ size: 'small' })}
        >
          Show in logs
        </Link>
      }
    >
      <QueryPanel query={query} skeleton={<TableSkeleton rows={5} />}>
        {(list) => <RequestTable list={list} />}
      </QueryPanel>
    </Section>
  );
}

function RequestTable({ list: { data, searched_back_to: searchedBackTo } }: { list: LogList }) {
  if (data.length > 0) {
    return <Table label="Last requests" columns={columns} items={data} itemKey={({ id }) => id} />;
  }
  return (
    <p className="px-5 py-4 text-muted">
      {searchedBackTo === null ? (
        'No requests in this range.'
      ) : (
        <>
          No requests since <Time value={searchedBackTo} />. The logs search further.
        </>
      )}
    </p>
  );
}

function EntryLink({ entry: { id, created_at: createdAt } }: { entry: ListedLogEntry }) {
  const { id: organizationId } = useOrganization();
  return (
    <Link
      to="/organizations/$organizationId/logs/$logId"
      params={{ organizationId, logId: id }}
      className="rounded-sm underline-offset-3 hover:underline"
    >
      <Time value={createdAt} format="relative" />
    </Link>
  );
}
