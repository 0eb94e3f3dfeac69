import { Link } from '@tanstack/react-router';
import { Ellipsis, ListFilter, Rows3 } from 'lucide-react';
import type { Filters } from '#dashboard/api/analytics.ts';
import { IconButton } from '#dashboard/components/button.tsx';
import { Menu, MenuLabel, MenuLink } from '#dashboard/components/overlay/menu.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { groupTitles } from '#dashboard/metrics/groups.ts';
import type { CostWindow } from '#lambdas/accounts/analytics/responses.ts';
import type { UsageSearch } from '../search.ts';
import {
  entriesKept,
  filtersOfSelection,
  type GroupSelection,
  logsSearch,
  onlySearch,
} from './drill-down.ts';

interface RowMenuProps {
  name: string;
  selection: GroupSelection;
  search: UsageSearch;
  filters: Filters;
  /** The window of the figures. */
  window: CostWindow;
}

/** Where a group of the table leads. */
export function RowMenu({ name, selection, search, filters, window }: RowMenuProps) {
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
      {kept !== 'none' && (
        <MenuLink
          link={
            <Link
              to="/organizations/$organizationId/logs"
              params={{ organizationId }}
              search={logsSearch(search, narrowed, null)}
            />
          }
        >
          <Rows3 aria-hidden />
          Show its requests
        </MenuLink>
      )}
      {kept !== 'all' && <MenuLabel>Log entries are kept for {retentionDays} days.</MenuLabel>}
    </Menu>
  );
}
