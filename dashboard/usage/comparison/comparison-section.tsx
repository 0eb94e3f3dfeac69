import { useQuery } from '@tanstack/react-query';
import { CalendarDays, Download } from 'lucide-react';
import { useState } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { Button } from '#dashboard/components/button.tsx';
import { useShown } from '#dashboard/components/feedback/old-content.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { FigureTableSkeleton } from '#dashboard/metrics/figure-table.tsx';
import { metrics } from '#dashboard/metrics/metrics.ts';
import { missingDaysText, windowTitle } from '#dashboard/range/comparison.ts';
import type { Range } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { usageRoute } from '../route.ts';
import type { UsageSearch } from '../search.ts';
import { costParameters, type UsageSettings } from '../settings.ts';
import { type ComparisonQuery, customRange } from './choice.ts';
import { saveComparison } from './comparison-csv.ts';
import type { ComparedOrder } from './order.ts';
import type { Previous } from './rows.ts';
import { SecondRangeDialog } from './second-range-dialog.tsx';
import { ComparisonTable } from './table.tsx';

/** As many as the API lists. */
const maxGroups = 100;

interface ComparisonSectionProps {
  settings: UsageSettings;
  range: Range;
  search: UsageSearch;
  comparison: ComparisonQuery;
}

/** The changes between the range of the view and a second one. */
export function ComparisonSection({ settings, range, search, comparison }: ComparisonSectionProps) {
  const { id: organizationId } = useOrganization();
  const { compare, secondRange } = comparison;
  const parameters = costParameters(settings, range, false);
  const report = useQuery(
    costsQuery(
      organizationId,
      { ...parameters, ...(settings.group !== null && { limit: maxGroups }), compare },
      secondRange,
    ),
  );
  const id = JSON.stringify([range.id, parameters.group_by, settings.filters, secondRange?.name]);
  const { shown, isOld } = useShown({ id, settings }, report);
  const { data } = report;
  const previous = data?.previous ?? null;
  const title = metrics[shown.settings.metric].title;
  return (
    <Section
      title={`${title} compared`}
      description={data && previous && <Windows report={data} previous={previous} />}
      action={
        <div className="flex gap-2">
          {search.compare === 'custom' && <SecondRangeButton range={customRange(search, range)} />}
          <Button
            size="small"
            disabled={data === undefined || previous === null || isOld}
            onClick={() => data && previous && saveComparison(data, previous)}
          >
            <Download aria-hidden />
            Export CSV
          </Button>
        </div>
      }
    >
      <QueryPanel query={report} isOld={isOld} skeleton={<FigureTableSkeleton rows={8} />}>
        {(loaded) =>
          loaded.previous && (
            <Table report={loaded} previous={loaded.previous} settings={shown.settings} search={search} />
          )
        }
      </QueryPanel>
    </Section>
  );
}

interface ComparedProps {
  report: CostReport;
  previous: Previous;
}

interface TableProps extends ComparedProps {
  settings: UsageSettings;
  search: UsageSearch;
}

function Table({ report, previous, settings, search }: TableProps) {
  const navigate = usageRoute.useNavigate();
  const look = useGroupLook({ group_by: report.group_by, groups: [...report.groups, ...previous.groups] });
  const sort = (order: ComparedOrder | undefined) =>
    navigate({
      search: (current) => ({ ...current, compare_sort: order }),
      replace: true,
      resetScroll: false,
    });
  return (
    <ComparisonTable
      // Another choice begins with its first groups.
      key={report.group_by}
      {...{ report, previous, settings, search, look }}
      onSort={sort}
    />
  );
}

function Windows({ report, previous }: ComparedProps) {
  const { time_zone: timeZone } = report;
  const missingDays = previous.days && missingDaysText(previous.days);
  return (
    <>
      {windowTitle(report.window, timeZone)}, compared with {windowTitle(previous.window, timeZone)}.
      {missingDays !== null && ` ${missingDays}`}
    </>
  );
}

function SecondRangeButton({ range }: { range: Range }) {
  const navigate = usageRoute.useNavigate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <CalendarDays aria-hidden className="text-muted" />
        <span className="sr-only">Compare with another range: </span>
        {range.title}
      </Button>
      <SecondRangeDialog
        open={isOpen}
        range={range}
        onClose={() => setOpen(false)}
        onChoose={(chosen) =>
          navigate({
            search: (current) => ({ ...current, ...chosen }),
            replace: true,
            resetScroll: false,
          })
        }
      />
    </>
  );
}
