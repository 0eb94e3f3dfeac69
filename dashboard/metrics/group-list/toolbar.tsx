import { Download } from 'lucide-react';
import { Button } from '#dashboard/components/button.tsx';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { Picker } from '#dashboard/components/forms/picker.tsx';
import { SearchField } from '#dashboard/components/forms/search-field.tsx';
import { loadCode } from '#dashboard/components/load-code.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import type { FigureColumn } from '../figure-table.tsx';
import { metrics } from '../metrics.ts';
import { type GroupListSearch, isSortedMetric, sortedBy } from './order.ts';

interface GroupListToolbarProps {
  /** Such as "Search prompts". */
  label: string;
  list: GroupListSearch;
  onChange: (change: GroupListSearch) => void;
  /** The columns of the list. It can be sorted by most of them. */
  columns: readonly FigureColumn[];
  /** The list; `undefined` while it loads. */
  report: CostReport | undefined;
  /** The beginning of the name of the file: "prompts". */
  fileName: string;
}

const searchDelayMs = 250;

/** The search, order and export of a list of groups. Wide tables are sorted by their headings. */
export function GroupListToolbar({
  label,
  list,
  onChange,
  columns,
  report,
  fileName,
}: GroupListToolbarProps) {
  const { sort = 'cost', order } = list;
  const sortable = columns.flatMap(({ metric }) => (isSortedMetric(metric) ? metric : []));
  return (
    <div className="flex w-full flex-wrap items-center gap-2">
      <SearchField
        label={label}
        delayMs={searchDelayMs}
        value={list.search ?? ''}
        onValueChange={(search) => onChange({ search: search || undefined })}
      />
      <div className="flex min-w-0 gap-2 lg:hidden">
        <Picker
          label="Order"
          size="medium"
          options={sortable.map((value) => ({ value, label: metrics[value].title }))}
          value={sort}
          onValueChange={(metric) => metric !== sort && onChange(sortedBy(list, metric))}
        />
        <Button onClick={() => onChange(sortedBy(list, sort))}>
          {order === 'asc' ? 'Lowest first' : 'Highest first'}
        </Button>
      </div>
      <div className="ml-auto">
        <ExportButton report={report} fileName={fileName} />
      </div>
    </div>
  );
}

function ExportButton({ report, fileName }: Pick<GroupListToolbarProps, 'report' | 'fileName'>) {
  const save = async () => {
    if (report === undefined) return;
    try {
      const { saveGroups } = await loadCode(() => import('./csv.ts'));
      saveGroups(report, fileName);
    } catch {
      notifyFailure('The export could not be loaded. Check your connection and try again.');
    }
  };
  return (
    <Button disabled={report === undefined || report.groups.length === 0} onClick={save}>
      <Download aria-hidden />
      Export CSV
    </Button>
  );
}
