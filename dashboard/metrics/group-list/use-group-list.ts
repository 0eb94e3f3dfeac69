import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useShown } from '#dashboard/components/feedback/old-content.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import type { Sorting } from '../figure-table.tsx';
import {
  type GroupListSearch,
  groupListParameters,
  isSortedMetric,
  parseGroupList,
  sortedBy,
} from './order.ts';

/** The groups of the range, and their search and order, which are in the view's link. */
export function useGroupList(group: GroupBy, limit: number) {
  const { id: organizationId } = useOrganization();
  const range = useRange();
  const list = parseGroupList(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = (changed: GroupListSearch) =>
    navigate({
      to: '.',
      search: (previous: object) => ({ ...previous, ...changed }),
      replace: true,
      resetScroll: false,
    });
  const sorting: Sorting = {
    metric: list.sort ?? 'cost',
    isAscending: list.order === 'asc',
    onSort: (metric) => isSortedMetric(metric) && change(sortedBy(list, metric)),
  };
  const parameters = { ...range.bounds, group_by: group, limit, ...groupListParameters(list) };
  const report = useQuery(costsQuery(organizationId, parameters));
  const { isOld } = useShown({ id: JSON.stringify([range.id, list]) }, report);
  return { list, change, sorting, report, isOld };
}
