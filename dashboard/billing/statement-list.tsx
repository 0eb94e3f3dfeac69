import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '#dashboard/components/badge.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { type Column, Table } from '#dashboard/components/table.tsx';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { DownloadButton } from './download-button.tsx';
import { monthOf, monthTitle } from './months.ts';
import { monthlyCostsQuery } from './spend-by-month.tsx';

interface StatementListProps {
  /** The newest first, which is the present one. */
  months: readonly string[];
}

export function StatementList({ months }: StatementListProps) {
  const { id: organizationId } = useOrganization();
  const costs = useQuery(monthlyCostsQuery(organizationId, months));
  const totalsOf = (month: string) =>
    costs.data?.series.find(({ start }) => monthOf(new Date(start)) === month)?.totals;
  const shown = costs.data
    ? monthsWithRequests(months, costs.data)
    : costs.isError
      ? months
      : months.slice(0, 1);
  const columns: [Column<string>, ...Column<string>[]] = [
    {
      title: 'Month',
      cell: (month) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link
            to="/organizations/$organizationId/billing/statements/$month"
            params={{ organizationId, month }}
            className="rounded-sm text-accent underline-offset-3 hover:underline"
          >
            {monthTitle(month)}
          </Link>
          {month === months[0] && <Badge>Preliminary</Badge>}
        </span>
      ),
    },
    {
      title: 'Spend',
      align: 'end',
      cell: (month) => {
        const totals = totalsOf(month);
        if (totals === undefined) return <span className="text-muted">–</span>;
        return (
          <span className="inline-flex items-center gap-1.5">
            <UncertaintyMark sum={totals} />
            <Usd amount={totals.cost_usd} />
          </span>
        );
      },
    },
    {
      title: 'Download',
      align: 'end',
      cell: (month) => (
        <span className="inline-flex gap-2">
          <DownloadButton month={month} format="csv" size="small" />
          <DownloadButton month={month} format="focus" size="small" />
        </span>
      ),
    },
  ];
  return (
    <Section
      title="Statements"
      description="By model, service tier and key. CSV adds up to the last digit; FOCUS is the format of cost tools."
    >
      <Table label="Statements" columns={columns} items={shown} itemKey={(month) => month} />
    </Section>
  );
}

/** From the present month to the first one with requests. */
function monthsWithRequests(months: readonly string[], { series }: CostReport): readonly string[] {
  const first = series.find(({ totals }) => totals.requests > 0);
  return first ? months.filter((month) => month >= monthOf(new Date(first.start))) : months.slice(0, 1);
}
