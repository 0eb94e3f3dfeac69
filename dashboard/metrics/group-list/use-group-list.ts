import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Sorting } from '../figure-table.tsx';
import { type GroupListSearch, isSortedMetric, parseGroupList, sortedBy } from './order.ts';

/** The search and the order of a list of groups, which are in the view's link. */
export function useGroupList() {
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
  return { list, change, sorting };
}
