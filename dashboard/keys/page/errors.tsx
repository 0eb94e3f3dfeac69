import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestLogsQuery, type TimeBounds } from '#dashboard/api/analytics.ts';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { countRequests, isAttempt, outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostTotals, ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';

/** Codes of one key are in the entries alone: those of so many newest ones of each outcome are counted. */
const maxEntries = 100;

const outcomes = ['provider_error', 'timeout', 'interrupted', 'rejected'] as const;

type FailedOutcome = (typeof outcomes)[number];

interface KeyErrorsProps {
  keyId: string;
  /** The figures of the key in the range. */
  totals: CostTotals;
  bounds: TimeBounds;
}

/** The errors and the rejected requests of a key by their codes. */
export function KeyErrors({ keyId, totals, bounds }: KeyErrorsProps) {
  const { id: organizationId } = useOrganization();
  const counts = outcomeCounts(totals);
  const present = outcomes.filter((outcome) => counts[outcome] !== 0);
  const lists = useQueries({
    queries: present.map((outcome) =>
      newestLogsQuery(organizationId, { ...bounds, api_key_id: keyId, outcome, limit: maxEntries }),
    ),
  });
  const failed = lists.find(({ error }) => error !== null);
  const rows = lists.flatMap(({ data }) => errorRows(data?.data ?? []));
  const isPending = lists.some(({ data, error }) => data === undefined && error === null);
  return (
    <Section
      title="Errors and rejected requests"
      description={
        lists.some(({ data }) => data?.data.length === maxEntries)
          ? `By code, among the newest ${maxEntries} of each outcome in this range.`
          : 'By code, in this range.'
      }
    >
      {failed?.error && (
        <div className="p-4">
          <Notice tone="danger" role="alert">
            {failed.error.message}
          </Notice>
        </div>
      )}
      {isPending && <TableSkeleton rows={2} />}
      {!isPending && !failed && rows.length === 0 && (
        <p className="px-5 py-4 text-muted">None in this range.</p>
      )}
      {rows.length > 0 && (
        <Table
          label="Errors by code"
          columns={columnsFor(keyId)}
          items={rows}
          itemKey={({ outcome, code }) => `${outcome}/${code}`}
        />
      )}
    </Section>
  );
}

/** Null for rejected requests that are not counted, which there may be. */
function outcomeCounts(totals: CostTotals): Record<FailedOutcome, number | null> {
  return {
    provider_error: totals.provider_error_requests,
    timeout: totals.timeout_requests,
    interrupted: totals.interrupted_requests,
    rejected: totals.rejected_requests,
  };
}

interface ErrorRow {
  outcome: ListedLogEntry['outcome'];
  /** Null for an error without a code. */
  code: string | null;
  requests: number;
  newest: ListedLogEntry;
}

/** The codes of the entries, the most frequent first. */
export function errorRows(entries: readonly ListedLogEntry[]): ErrorRow[] {
  const requests = entries.filter((entry) => !isAttempt(entry));
  const byCode = Map.groupBy(requests, ({ error_code: code }) => code);
  return [...byCode]
    .flatMap(([code, [newest, ...others]]) =>
      newest === undefined
        ? []
        : [{ outcome: newest.outcome, code, requests: countRequests([newest, ...others]), newest }],
    )
    .toSorted((one, other) => other.requests - one.requests);
}

function columnsFor(keyId: string): [Column<ErrorRow>, ...Column<ErrorRow>[]] {
  return [
    { title: 'Error code', cell: (row) => <CodeLink row={row} keyId={keyId} /> },
    { title: 'Outcome', cell: ({ outcome }) => outcomeLooks[outcome].title },
    {
      title: 'Requests',
      align: 'end',
      cell: ({ requests }) => <span className="tabular-nums">{formatCount(requests)}</span>,
    },
    {
      title: 'Last',
      align: 'end',
      cell: ({ newest }) => <Time value={newest.created_at} format="relative" />,
    },
  ];
}

function CodeLink({ row: { code, outcome }, keyId }: { row: ErrorRow; keyId: string }) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  return (
    <Link
      to="/organizations/$organizationId/logs"
      params={{ organizationId }}
      search={{ ...rangeSearch, api_key_id: keyId, outcome, error_code: code ?? undefined }}
      className="rounded-sm wrap-anywhere underline-offset-3 hover:underline"
    >
      {code ?? 'No code'}
    </Link>
  );
}
