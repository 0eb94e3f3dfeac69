import { useKeyNames } from '#dashboard/key-names/use-key-names.ts';
import { groupName } from '#dashboard/metrics/groups.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { useModelColours } from './model-colours.ts';
import type { GroupLook } from './report-series.ts';

/** The names of the keys that are the groups of a report, by their ids; empty while they load, and for other groups. */
export function useReportKeyNames(report: Grouping | undefined): ReadonlyMap<string, string> {
  return useKeyNames(report?.group_by === 'api_key' ? report.groups.flatMap(({ value }) => value ?? []) : []);
}

type Grouping = Pick<CostReport, 'group_by' | 'groups'>;

/** The names and colours of the groups of a report. */
export function useGroupLook(report: Grouping): GroupLook {
  const { group_by: group } = report;
  const keyNames = useReportKeyNames(report);
  const modelColour = useModelColours();
  return {
    name: (value) => (group === null ? 'All requests' : groupName(group, value, keyNames)),
    colour: (value, index) => (group === 'model' ? modelColour(value) : index),
  };
}
