import { Link } from '@tanstack/react-router';
import type { Filters } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { GroupLabel } from '#dashboard/metrics/figure-table.tsx';
import { type GroupSelection, onlySearch } from './drill-down.ts';
import type { UsageSearch } from './search.ts';

interface GroupLinkProps {
  selection: GroupSelection;
  search: UsageSearch;
  filters: Filters;
  name: string;
}

/** The name of a group, which leads to the same view of it alone, with the same comparison. */
export function GroupLink({ selection, search, filters, name }: GroupLinkProps) {
  const { id: organizationId } = useOrganization();
  const only = onlySearch(search, filters, selection);
  const label = <GroupLabel value={selection.value} name={name} />;
  if (only === null) return label;
  return (
    <Link
      to="/organizations/$organizationId/usage"
      params={{ organizationId }}
      search={only}
      className="block min-w-0 rounded-sm underline-offset-3 hover:underline"
    >
      {label}
    </Link>
  );
}
