import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { addMonths } from '#dashboard/range/range.ts';
import type { Colour } from './chart.ts';
import { assignColours, colourOfHash } from './colour-slots.ts';

/** Returns the colour of each model of the organization, the same in every view: that of its name's hash until they are known. */
export function useModelColours(): (model: string | null) => Colour {
  const { id } = useOrganization();
  const { data: report } = useQuery(modelsByCostQuery(id, new Date()));
  return useMemo(() => {
    const names = report?.groups.flatMap(({ value }) => value ?? []) ?? [];
    const colours = assignColours(names);
    return (model) => (model === null ? 'other' : (colours.get(model) ?? colourOfHash(model)));
  }, [report]);
}

/** The costs of the last twelve months. They are loaded once, because colours must not change while somebody looks. */
function modelsByCostQuery(organizationId: string, now: Date) {
  const start = addMonths(`${now.toISOString().slice(0, 7)}-01`, -11);
  return {
    ...costsQuery(organizationId, { group_by: 'model', limit: 100, start }),
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchInterval: false as const,
  };
}
