import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keyListQuery } from '#dashboard/api/organizations.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { groupName } from '#dashboard/metrics/groups.ts';
import type { GroupBy } from '#lambdas/accounts/analytics/responses.ts';
import { useModelColours } from './model-colours.ts';
import type { GroupLook } from './report-series.ts';

/** The names of the organization's keys by their ids; empty while they load. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data: keys } = useQuery(keyListQuery(useOrganization().id));
  return useMemo(() => new Map(keys?.data.map(({ id, name }) => [id, name])), [keys]);
}

/** The names and colours of the groups of a report. */
export function useGroupLook(group: GroupBy | null): GroupLook {
  const keyNames = useKeyNames();
  const modelColour = useModelColours();
  return {
    name: (value) => (group === null ? 'All requests' : groupName(group, value, keyNames)),
    colour: (value, index) => (group === 'model' ? modelColour(value) : index),
  };
}
