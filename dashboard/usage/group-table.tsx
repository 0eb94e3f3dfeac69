import { Link } from '@tanstack/react-router';
import { Ellipsis, KeyRound, ListFilter, Rows3 } from 'lucide-react';
import type { Filters } from '#dashboard/api/analytics.ts';
import { Swatch } from '#dashboard/charts/frame/legend.tsx';
import type { GroupLook } from '#dashboard/charts/report-series.ts';
import { IconButton } from '#dashboard/components/button.tsx';
import { Menu, MenuLabel, MenuLink } from '#dashboard/components/overlay/menu.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { groupOfFilter, valueFilterOf } from '#dashboard/filters/cost-filters.ts';
import { ApproximationNote } from '#dashboard/metrics/approximation-note.tsx';
import {
  type FigureColumn,
  type FigureRow,
  FigureTable,
  meanCostColumn,
  metricColumn,
  otherRow,
  rejectedColumn,
  spendColumn,
} from '#dashboard/metrics/figure-table.tsx';
import { capitalize, groupTitles } from '#dashboard/metrics/groups.ts';
import { unavailableReason } from '#dashboard/metrics/metrics.ts';
import { parseRangeSearch } from '#dashboard/range/range.ts';
import type { CostReport, CostTotals, CostWindow } from '#lambdas/accounts/analytics/responses.ts';
import {
  entriesKept,
  filtersOfSelection,
  type GroupSelection,
  logsSearch,
  onlySearch,
} from './drill-down.ts';
import { GroupLink } from './group-link.tsx';
import { requestLists } from './request-lists.ts';
import type { UsageSearch } from './search.ts';

interface GroupTableProps {
  report: CostReport;
  look: GroupLook;
  search: UsageSearch;
  filters: Filters;
}

/** The main figures of each group, of the rest, and of all requests. */
export function GroupTable({ report, look, search, filters }: GroupTableProps) {
  const { group_by: group, groups, other, totals, window } = report;
  const rows =
    group === null
      ? []
      : groups.map(({ value, totals: own }, index): FigureRow => {
          const selection: GroupSelection = { kind: 'group', group, value };
          const name = look.name(value);
          return {
            key: value ?? '',
            name: (
              <span className="flex min-w-0 items-center gap-2.5">
                <Swatch colour={look.colour(value, index)} />
                <GroupLink {...{ selection, search, filters, name }} />
              </span>
            ),
            totals: own,
            action: value !== null && (
              <RowMenu {...{ name, selection, search, filters, totals: own, window }} />
            ),
          };
        });
  rows.push(...otherRow(other, <Swatch colour="other" />));
  // Groups of errors are only a part of the requests.
  if (group !== 'error_code') rows.push({ key: 'all', name: 'All requests', totals, isTotal: true });
  const columns = columnsOf(report, filters);
  return (
    <>
      <FigureTable
        label={group === null ? 'Figures' : `Figures by ${groupTitles[group].one}`}
        nameTitle={group === null ? 'Requests' : capitalize(groupTitles[group].one)}
        columns={columns}
        rows={rows}
      />
      {/* A table of errors has no row of all requests, whose sentences the note has. */}
      {group !== 'error_code' && (
        <ApproximationNote
          report={report}
          hasPercentiles={columns.some(({ metric }) => metric === 'latency_p50')}
        />
      )}
    </>
  );
}

function columnsOf({ group_by: group, groups, totals }: CostReport, filters: Filters): FigureColumn[] {
  const overhead = { ...metricColumn('mean_overhead', 'Overhead'), isSecondary: true };
  if (group === 'error_code' || filters.error_code !== undefined) {
    return [
      metricColumn('errors'),
      rejectedColumn,
      spendColumn,
      metricColumn('tokens'),
      metricColumn('mean_latency'),
      overhead,
    ];
  }
  const valueFilter = valueFilterOf(filters);
  const hasPercentiles = [group, valueFilter && groupOfFilter[valueFilter]].every(
    (each) => unavailableReason('latency_p50', each) === null,
  );
  return [
    spendColumn,
    metricColumn('requests'),
    ...(totals.rejected_requests && groups.every((each) => each.totals.rejected_requests !== null)
      ? [{ ...rejectedColumn, isSecondary: true }]
      : []),
    metricColumn('tokens'),
    { ...metricColumn('cached_share', 'Cached'), isSecondary: true },
    metricColumn('error_rate'),
    meanCostColumn,
    ...(hasPercentiles
      ? [metricColumn('latency_p50'), metricColumn('latency_p95')]
      : [metricColumn('mean_latency')]),
    overhead,
  ];
}

interface RowMenuProps {
  name: string;
  selection: GroupSelection;
  search: UsageSearch;
  filters: Filters;
  totals: CostTotals;
  /** The window of the figures. */
  window: CostWindow;
}

/** Where a group of the table leads. */
function RowMenu({ name, selection, search, filters, totals, window }: RowMenuProps) {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const only = onlySearch(search, filters, selection);
  const narrowed = filtersOfSelection(filters, selection);
  if (only === null || narrowed === null) return null;
  const kept = entriesKept(window, retentionDays, new Date());
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={`More about ${name}`}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuLink
        link={<Link to="/organizations/$organizationId/usage" params={{ organizationId }} search={only} />}
      >
        <ListFilter aria-hidden />
        Show only this {groupTitles[selection.group].one}
      </MenuLink>
      {selection.group === 'api_key' && selection.value !== null && (
        <MenuLink
          link={
            <Link
              to="/organizations/$organizationId/keys/$keyId"
              params={{ organizationId, keyId: selection.value }}
              search={parseRangeSearch({ ...search })}
            />
          }
        >
          <KeyRound aria-hidden />
          Open the page of this key
        </MenuLink>
      )}
      {kept !== 'none' &&
        requestLists('requests', totals).map((list, index) => (
          <MenuLink
            key={list.title}
            link={
              <Link
                to="/organizations/$organizationId/logs"
                params={{ organizationId }}
                search={logsSearch(search, narrowed, null, list)}
              />
            }
          >
            <Rows3 aria-hidden />
            {index === 0 ? 'Show its requests' : capitalize(list.title)}
          </MenuLink>
        ))}
      {kept !== 'all' && <MenuLabel>Log entries are kept for {retentionDays} days.</MenuLabel>}
    </Menu>
  );
}
