import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, RotateCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { TimeBounds } from '#dashboard/api/analytics.ts';
import { Button, IconButton } from '#dashboard/components/button.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { type ConditionName, filterNames } from '#dashboard/filters/fields.ts';
import { figureNames, isFigureName } from '#dashboard/filters/figures.ts';
import { FilterBar } from '#dashboard/filters/filter-bar.tsx';
import {
  type Conditions,
  hasIdFilter,
  idFilterNames,
  type LogsOrder,
  type LogsSearch,
  mayFollow,
  parseConditions,
  parseOrder,
} from '#dashboard/filters/logs-search.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { maxPreset, resolveRange } from '#dashboard/range/range.ts';
import { RangeBar, useRangeSearch } from '#dashboard/range/range-bar.tsx';
import { LiveToggle, useLiveTail } from './list/live-tail.tsx';
import { OrderMenu } from './list/order-menu.tsx';
import { RequestList } from './list/request-list.tsx';
import { mergeEntries } from './list/tail.ts';
import { useLogList, usePinnedTime } from './list/use-log-list.ts';
import { RequestIdField } from './request-id-field.tsx';
import { RequestsChart } from './requests-chart.tsx';
import { useRequestsReport } from './requests-report.ts';

const ExportDialog = lazyComponent(() => import('./export-dialog.tsx'), 'ExportDialog');

export function LogsView() {
  const { id: organizationId } = useOrganization();
  const search = useSearch({ from: '/shell/organizations/$organizationId/logs' });
  const change = useSearchChange();
  const [isExporting, setExporting] = useState(false);

  const conditions = useMemo(() => parseConditions({ ...search }), [search]);
  const order = parseOrder({ ...search });
  const rangeSearch = useRangeSearch();
  const { now, renew } = usePinnedTime(JSON.stringify([rangeSearch, conditions, order]));
  const range = resolveRange(rangeSearch, now);
  const parameters = { ...range.bounds, ...conditions, ...order };
  const list = useLogList(organizationId, parameters, now.getTime());
  const report = useRequestsReport(conditions);
  const isLive = search.live === '1';
  const { tail, error } = useLiveTail({
    organizationId,
    parameters,
    pinnedAtMs: now.getTime(),
    token: isLive ? list.tail : null,
    listed: list.entries,
    onGap: renew,
  });
  const entries = useMemo(() => mergeEntries(tail.entries, list.entries), [tail.entries, list.entries]);

  const changeConditions = (changed: Conditions) =>
    change({ ...rangeSearch, ...conditions, ...order, ...changed, live: search.live });
  const changeOrder = (changed: LogsOrder) => change({ ...rangeSearch, ...conditions, ...changed });
  const changeBounds = ({ start, end }: Pick<TimeBounds, 'start' | 'end'>) =>
    change({ ...conditions, ...order, start, end, time_zone: rangeSearch.time_zone }, { replace: false });

  return (
    <Page
      wide
      title="Logs"
      description={
        <>
          Every request, with its cost and what took its time
          <Completeness queries={[report.query]} />
        </>
      }
      action={<RangeBar />}
    >
      <div className="flex flex-col gap-4">
        {/* The id is that of a single request, which the sums of all would say nothing about. */}
        {!hasIdFilter(conditions) && <RequestsChart report={report} onNarrow={changeBounds} />}
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
          <FilterBar
            names={conditionNames}
            filters={conditions}
            entries={entries}
            onApply={(name, value) => changeConditions({ [name]: value })}
            onBoundsApply={changeConditions}
            onRemove={(names) => changeConditions(withoutConditions(names))}
          />
          <div className="flex w-full flex-wrap items-start gap-2 sm:w-auto">
            <RequestIdField />
            <OrderMenu order={order} onOrderChange={changeOrder} />
            <LiveToggle
              isLive={isLive}
              isAvailable={mayFollow(search)}
              error={error}
              arrived={tail.arrived}
              onChange={(live) => change({ ...search, live: live ? '1' : undefined })}
            />
            <Button size="small" onClick={() => setExporting(true)}>
              <Download aria-hidden />
              Export
            </Button>
            <IconButton label="Refresh" onClick={renew}>
              <RotateCw aria-hidden />
            </IconButton>
          </div>
        </div>
        <RequestList
          list={list}
          entries={entries}
          arrivals={tail.arrivals}
          range={range}
          conditions={conditions}
          order={order}
          onOrderChange={changeOrder}
          onRangeChange={changeBounds}
          onLongestRange={() =>
            change(
              { ...conditions, ...order, range: maxPreset, time_zone: rangeSearch.time_zone },
              { replace: false },
            )
          }
        />
      </div>
      <OnceOpened open={isExporting}>
        <ExportDialog open={isExporting} parameters={parameters} onClose={() => setExporting(false)} />
      </OnceOpened>
    </Page>
  );
}

/** In the order of the menu and of chips. */
const conditionNames: readonly ConditionName[] = [
  ...filterNames.filter((name) => !idFilterNames.includes(name)),
  ...figureNames,
  ...idFilterNames,
];

function withoutConditions(names: readonly ConditionName[]): Conditions {
  const parameters = names.flatMap((name) => (isFigureName(name) ? [`min_${name}`, `max_${name}`] : [name]));
  return Object.fromEntries(parameters.map((parameter) => [parameter, undefined]));
}

/** Changes the link. Adjustments replace it, so that going back leaves the view. */
function useSearchChange() {
  const navigate = useNavigate({ from: '/organizations/$organizationId/logs' });
  return (search: LogsSearch, { replace } = { replace: true }) =>
    navigate({ to: '.', search, replace, resetScroll: false });
}
