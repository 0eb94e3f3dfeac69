import { useKeyNames, useLoadingKeyNames } from '#dashboard/key-names/use-key-names.ts';
import { groupName } from '#dashboard/metrics/groups.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { useModelColours } from './model-colours.ts';
import type { GroupLook } from './report-series.ts';

/** The names of the keys that are the groups of a report, by their ids; empty while they load, and for other groups. */
export function useReportKeyNames(report: Grouping | undefined): ReadonlyMap<string, string> {
  return useKeyNames(keyIdsOf(report));
}

function keyIdsOf(report: Grouping | undefined): string[] {
  return report?.group_by === 'api_key' ? report.groups.flatMap(({ value }) => value ?? []) : [];
}

/** Instead of the id of a key whose name is loading. */
const loadingName = '…';

type Grouping = Pick<CostReport, 'group_by' | 'groups'>;

/** The names and colours of the groups of a report. */
export function useGroupLook(report: Grouping): GroupLook {
  const { group_by: group } = report;
  const { names, arePending } = useLoadingKeyNames(keyIdsOf(report));
  const modelColour = useModelColours();
  return {
    name: (value) => {
      if (group === null) return 'All requests';
      const isLoading = group === 'api_key' && arePending && value !== null && !names.has(value);
      return isLoading ? loadingName : groupName(group, value, names);
    },
    colour: (value, index) => (group === 'model' ? modelColour(value) : index),
  };
}
