/** A report by model, of the requests of one prompt or key: the spend over time, and the figures of each model. */
import { Link } from '@tanstack/react-router';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { LogsSearch } from '#dashboard/filters/logs-search.ts';
import {
  type FigureColumn,
  type FigureRow,
  FigureTable,
  GroupLabel,
  otherRow,
} from '#dashboard/metrics/figure-table.tsx';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { Swatch } from './frame/legend.tsx';
import { useGroupLook } from './group-look.ts';
import { openRequestsHint, useOpenRequests } from './open-requests.ts';
import { ReportChart } from './report-chart.tsx';

interface ModelReportProps {
  report: CostReport;
  /** The prompt or the key. */
  conditions: Pick<LogsSearch, 'prompt_id' | 'api_key_id'>;
}

export function ModelSpendChart({ report, conditions }: ModelReportProps) {
  const look = useGroupLook(report);
  const openRequests = useOpenRequests(conditions);
  return (
    <ReportChart
      label="Spend by model"
      report={report}
      metric="cost"
      look={look}
      onSelect={openRequests}
      selectHint={openRequestsHint(report)}
    />
  );
}

interface ModelFiguresProps extends ModelReportProps {
  label: string;
  columns: readonly FigureColumn[];
  /** The row of all models, if there is one. */
  total?: FigureRow;
}

/** The models lead to their requests. */
export function ModelFigures({ report, conditions, label, columns, total }: ModelFiguresProps) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  const look = useGroupLook(report);
  const rows = report.groups.map(({ value, totals }, index) => ({
    key: value ?? '',
    name: (
      <span className="flex min-w-0 items-center gap-2.5">
        <Swatch colour={look.colour(value, index)} />
        {value === null ? (
          <GroupLabel value={null} name={look.name(null)} />
        ) : (
          <Link
            to="/organizations/$organizationId/logs"
            params={{ organizationId }}
            search={{ ...rangeSearch, ...conditions, model: value }}
            className="block min-w-0 rounded-sm underline-offset-3 hover:underline"
          >
            <GroupLabel value={value} name={value} />
          </Link>
        )}
      </span>
    ),
    totals,
  }));
  return (
    <FigureTable
      label={label}
      nameTitle="Model"
      columns={columns}
      rows={[...rows, ...otherRow(report.other, <Swatch colour="other" />), ...(total ? [total] : [])]}
    />
  );
}
