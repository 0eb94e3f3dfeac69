import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText, SearchX } from 'lucide-react';
import { useState } from 'react';
import { auditRecordsQuery } from '#dashboard/api/organizations.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { LoadMore } from '#dashboard/components/feedback/load-more.tsx';
import { OldContent } from '#dashboard/components/feedback/old-content.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { formatDate } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { AuditRecordList, AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';
import { Filters } from './filters.tsx';
import { RecordItem } from './record-item.tsx';
import { type AuditSearch, auditFilters, auditRange } from './search.ts';

const route = getRouteApi('/shell/organizations/$organizationId/audit-trail');

export function AuditTrailView() {
  const { id: organizationId } = useOrganization();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [now] = useState(() => new Date());
  const timeZone = useTimeZone();
  const filters = auditFilters(search, now, timeZone);
  const records = useInfiniteQuery({
    ...auditRecordsQuery(organizationId, filters),
    placeholderData: keepPreviousData,
  });
  const change = (changed: AuditSearch) =>
    navigate({
      search: (present) => ({ ...present, ...changed }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Page
      title="Audit trail"
      description="Who changed what in this organization. Records can be added, but not changed or deleted."
    >
      <Filters
        search={search}
        filters={filters}
        range={auditRange(search, now, timeZone)}
        onChange={change}
      />
      {records.data ? (
        <OldContent isOld={records.isPlaceholderData}>
          <Records
            query={records}
            pages={records.data.pages}
            isFiltered={Object.values(filters).some((value) => value !== undefined)}
          />
        </OldContent>
      ) : (
        <Card>
          <QueryStatus query={records} skeleton={<RecordsSkeleton />} />
        </Card>
      )}
    </Page>
  );
}

type RecordsQuery = UseInfiniteQueryResult<InfiniteData<AuditRecordList>>;

interface RecordsProps {
  query: RecordsQuery;
  pages: readonly AuditRecordList[];
  isFiltered: boolean;
}

function Records({ query, pages, isFiltered }: RecordsProps) {
  const timeZone = useTimeZone();
  const records = pages.flatMap(({ data }) => data);
  if (records.length === 0 && isFiltered) {
    return (
      <div className="flex flex-col gap-3">
        <Card>
          <EmptyState
            icon={SearchX}
            title={query.hasNextPage ? 'No record matches yet' : 'No record matches'}
          >
            {query.hasNextPage
              ? 'Only a part of the records has been searched.'
              : 'Choose other filters, or a longer time.'}
          </EmptyState>
        </Card>
        <LoadMore query={query} label="Search further" />
      </div>
    );
  }
  if (records.length === 0) {
    return (
      <Card>
        <EmptyState icon={ScrollText} title="No records yet">
          Every change of members, keys and budgets appears here.
        </EmptyState>
      </Card>
    );
  }
  return (
    <div className="flex flex-col gap-8">
      {groupByDay(records, new Date(), undefined, timeZone).map((day) => (
        <Section key={day.title} title={day.title}>
          <ul>
            {day.records.map((record) => (
              <RecordItem key={record.id} record={record} />
            ))}
          </ul>
        </Section>
      ))}
      <LoadMore query={query} />
    </div>
  );
}

/** A page of records has most probably more than the screen. */
function RecordsSkeleton() {
  return (
    <div className="divide-y divide-line">
      {['w-2/3', 'w-1/2', 'w-3/5', 'w-2/5', 'w-1/2'].map((width, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: nothing is ever moved.
        <div key={index} className="flex h-16 items-center gap-3.5 px-5">
          <Skeleton className="size-8 shrink-0 rounded-full" />
          <div className="flex min-w-0 flex-1 flex-col gap-2">
            <Skeleton className={`h-4 ${width}`} />
            <Skeleton className="h-3 w-32" />
          </div>
        </div>
      ))}
    </div>
  );
}

interface Day {
  /** "Today", or the date. */
  title: string;
  records: AuditRecordSummary[];
}

/** Groups records, the newest first, by the day in the user's zone. */
export function groupByDay(
  records: readonly AuditRecordSummary[],
  now: Date,
  locale?: Intl.LocalesArgument,
  timeZone?: string,
): Day[] {
  const dateOf = (time: Date) => formatDate(time, locale, timeZone);
  const today = dateOf(now);
  const days: Day[] = [];
  for (const record of records) {
    const date = dateOf(new Date(record.at));
    const title = date === today ? 'Today' : date;
    const last = days.at(-1);
    if (last?.title === title) last.records.push(record);
    else days.push({ title, records: [record] });
  }
  return days;
}
