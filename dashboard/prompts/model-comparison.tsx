import { Link } from '@tanstack/react-router';
import { Swatch } from '#dashboard/charts/frame/legend.tsx';
import { useGroupLook } from '#dashboard/charts/model-colours.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import {
  FigureTable,
  GroupLabel,
  meanCostColumn,
  metricColumn,
  otherRow,
  spendColumn,
} from '#dashboard/metrics/figure-table.tsx';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';

const columns = [
  metricColumn('requests'),
  spendColumn,
  meanCostColumn,
  metricColumn('error_rate'),
  metricColumn('latency_p50'),
  metricColumn('latency_p95'),
  metricColumn('first_token_p50'),
  metricColumn('first_token_p95'),
];

/** @param report of one prompt, by model */
export function ModelComparison({ report, promptId }: { report: CostReport; promptId: string }) {
  const { id: organizationId } = useOrganization();
  const look = useGroupLook('model');
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
            search={(search) => ({ ...parseRangeSearch({ ...search }), prompt_id: promptId, model: value })}
            className="block min-w-0 rounded-sm underline-offset-3 hover:underline"
          >
            <GroupLabel value={value} name={value} />
          </Link>
        )}
      </span>
    ),
    totals,
  }));
  const all = { key: 'all', name: 'All models', totals: report.totals, isTotal: true };
  return (
    <FigureTable
      label="Models compared"
      nameTitle="Model"
      columns={columns}
      rows={[...rows, ...otherRow(report.other, <Swatch colour="other" />), all]}
    />
  );
}
