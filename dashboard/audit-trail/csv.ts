/** Audit records as comma-separated values. */
import type { QueryClient } from '@tanstack/react-query';
import { saveCsv } from '#dashboard/api/download.ts';
import { type AuditFilters, auditRecordsQuery } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { localDate } from '#dashboard/range/range.ts';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type CsvValue, csvLine } from '#lambdas/platform/csv.ts';

const maxPages = 50;

/** In the order of the columns. */
const columns: Record<string, (record: AuditRecordSummary) => CsvValue> = {
  time: ({ at }) => at,
  action: ({ action }) => action,
  stage: ({ stage }) => stage,
  actor_type: ({ actor }) => actor.type,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  actor_email: ({ actor }) => actor.email,
  target_type: ({ target }) => target.type,
  target_id: ({ target }) => target.id,
  target_name: ({ target }) => target.name ?? null,
  before: ({ before }) => before && JSON.stringify(before),
  after: ({ after }) => after && JSON.stringify(after),
  record_id: ({ id }) => id,
  operation_id: ({ operation_id: id }) => id,
};

export function recordsCsv(records: readonly AuditRecordSummary[]): string {
  const lines = records.map((record) => Object.values(columns).map((read) => read(record)));
  return [Object.keys(columns), ...lines].map((line) => csvLine(line)).join('');
}

/** Returns text such as "audit-trail-2026-11-01-to-2026-11-30.csv": the first and the last day. */
export function recordsFileName(
  records: readonly Pick<AuditRecordSummary, 'at'>[],
  { start = records.at(-1)?.at, end }: Pick<AuditFilters, 'start' | 'end'>,
  timeZone: string,
  now: Date,
): string {
  const last = localDate(end === undefined ? now : new Date(Date.parse(end) - 1), timeZone);
  const first = start === undefined ? last : localDate(new Date(start), timeZone);
  return `audit-trail-${first}-to-${last}.csv`;
}

/** Saves the newest records that match, of so many pages, and says when there are more. */
export async function saveRecords(
  queryClient: QueryClient,
  organizationId: string,
  { filters, timeZone }: { filters: AuditFilters; timeZone: string },
): Promise<void> {
  const { pages } = await queryClient.fetchInfiniteQuery({
    ...auditRecordsQuery(organizationId, filters, 100),
    pages: maxPages,
    gcTime: 0,
  });
  const records = pages.flatMap(({ data }) => data);
  const isPart = Boolean(pages.at(-1)?.next_cursor);
  // A file with a part of the records begins with the oldest one that it has.
  const start = isPart ? undefined : filters.start;
  const fileName = recordsFileName(records, { ...filters, start }, timeZone, new Date());
  saveCsv(recordsCsv(records), fileName);
  if (isPart) {
    notifySuccess(
      `The newest ${formatCount(records.length)} records are exported. Choose a time for the others.`,
    );
  }
}
