import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestLogsQuery, type TimeBounds } from '#dashboard/api/analytics.ts';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { ForeignText } from '#dashboard/components/values/foreign-text.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import { type Caller, type CallerField, callersOf, maxCountedEntries } from '../callers.ts';

const titles: Record<CallerField, { one: string; many: string }> = {
  user_id: { one: 'User', many: 'Users' },
  prompt_id: { one: 'Prompt', many: 'Prompts' },
};

const maxShown = 10;

interface KeyCallersProps {
  keyId: string;
  bounds: TimeBounds;
  field: CallerField;
}

/** The users or the prompts of the newest requests of a key in the range, with links to their requests. */
export function KeyCallers({ keyId, bounds, field }: KeyCallersProps) {
  const { id: organizationId } = useOrganization();
  const query = useQuery(
    newestLogsQuery(organizationId, { ...bounds, api_key_id: keyId, limit: maxCountedEntries }),
  );
  const title = titles[field];
  return (
    <Section
      title={title.many}
      description={
        query.data?.data.length === maxCountedEntries
          ? `Of the newest ${maxCountedEntries} requests in this range.`
          : 'In this range.'
      }
    >
      <QueryPanel query={query} skeleton={<TableSkeleton rows={3} />}>
        {({ data }) => {
          const callers = callersOf(data, field).slice(0, maxShown);
          if (callers.length === 0) {
            return <p className="px-5 py-4 text-muted">No request names a {title.one.toLowerCase()}.</p>;
          }
          return (
            <Table
              label={title.many}
              columns={columnsFor(keyId, field)}
              items={callers}
              itemKey={({ value }) => value}
            />
          );
        }}
      </QueryPanel>
    </Section>
  );
}

function columnsFor(keyId: string, field: CallerField): [Column<Caller>, ...Column<Caller>[]] {
  return [
    {
      title: titles[field].one,
      cell: ({ value }) => <CallerLink keyId={keyId} field={field} value={value} />,
    },
    {
      title: 'Requests',
      align: 'end',
      cell: ({ requests }) => <span className="tabular-nums">{formatCount(requests)}</span>,
    },
    { title: 'Spend', align: 'end', cell: ({ costUsd }) => <Usd amount={costUsd} /> },
  ];
}

function CallerLink({ keyId, field, value }: { keyId: string; field: CallerField; value: string }) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  return (
    <Link
      to="/organizations/$organizationId/logs"
      params={{ organizationId }}
      search={{ ...rangeSearch, api_key_id: keyId, [field]: value }}
      className="rounded-sm wrap-anywhere underline-offset-3 hover:underline"
    >
      <ForeignText>{value}</ForeignText>
    </Link>
  );
}
