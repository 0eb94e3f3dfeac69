import { Download } from 'lucide-react';
import { useState } from 'react';
import { useReportKeyNames } from '#dashboard/charts/group-look.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { Picker } from '#dashboard/components/forms/picker.tsx';
import { lazyComponent, loadCode } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { costFilterNames, isCostFilterName, withFilter } from '#dashboard/filters/cost-filters.ts';
import { FilterBar } from '#dashboard/filters/filter-bar.tsx';
import type { Range } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { type ComparisonChoice, comparisonOptions, searchOfChoice, timeBefore } from './comparison/choice.ts';
import { usageRoute } from './route.ts';
import { type GroupChoice, topCounts, type UsageSearch } from './search.ts';
import { groupChoices, intervalChoices, metricChoices, type UsageSettings } from './settings.ts';

const SecondRangeDialog = lazyComponent(
  () => import('./comparison/second-range-dialog.tsx'),
  'SecondRangeDialog',
);

interface ToolbarProps {
  settings: UsageSettings;
  range: Range;
  compare: ComparisonChoice;
}

/** The choice of what is shown, which changes the view's link. */
export function Toolbar({ settings, range, compare }: ToolbarProps) {
  const { filters } = settings;
  const navigate = usageRoute.useNavigate();
  const [isChoosingRange, setChoosingRange] = useState(false);
  const change = (changed: UsageSearch) =>
    navigate({
      search: (search) => ({ ...search, ...changed, point: undefined, series: undefined }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <Picker
        label="Metric"
        options={metricChoices(settings)}
        value={settings.metric}
        onValueChange={(metric) => change({ metric })}
      />
      <Picker<GroupChoice>
        label="Group by"
        options={groupChoices(settings)}
        value={settings.group ?? 'none'}
        onValueChange={(group) => change({ group })}
      />
      <Picker
        label="Interval"
        options={intervalChoices(settings, range)}
        value={settings.interval}
        onValueChange={(interval) => change({ interval })}
      />
      {settings.group !== null && (
        <Picker
          label="Top"
          options={topCounts.map((value) => ({ value, label: value === '100' ? 'All, up to 100' : value }))}
          value={settings.top}
          onValueChange={(top) => change({ top })}
        />
      )}
      <Picker<ComparisonChoice>
        label="Compare with"
        options={comparisonOptions}
        value={compare}
        onValueChange={(choice) =>
          choice === 'custom' ? setChoosingRange(true) : change(searchOfChoice(choice))
        }
      />
      <OnceOpened open={isChoosingRange}>
        <SecondRangeDialog
          open={isChoosingRange}
          range={timeBefore(range, new Date())}
          onClose={() => setChoosingRange(false)}
          onChoose={change}
        />
      </OnceOpened>
      <div className="col-span-2 min-w-0">
        <FilterBar
          names={costFilterNames}
          filters={filters}
          onApply={(name, value) => isCostFilterName(name) && change(withFilter(filters, name, value))}
          onRemove={(names) => change(Object.fromEntries(names.map((name) => [name, undefined])))}
        />
      </div>
    </div>
  );
}

/** @param report `undefined` while it loads */
export function ExportButton({ report }: { report: CostReport | undefined }) {
  const keyNames = useReportKeyNames(report);
  const [isPending, setPending] = useState(false);
  const save = async () => {
    if (report === undefined) return;
    setPending(true);
    try {
      const { saveUsage } = await loadCode(() => import('./usage-csv.ts'));
      saveUsage(report, keyNames);
    } catch {
      notifyFailure('The export could not be loaded. Check your connection and try again.');
    } finally {
      setPending(false);
    }
  };
  return (
    <Button size="small" disabled={report === undefined} pending={isPending} onClick={save}>
      <Download aria-hidden />
      Export CSV
    </Button>
  );
}
