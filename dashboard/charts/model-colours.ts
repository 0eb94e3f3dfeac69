import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { addMonths } from '#dashboard/range/range.ts';
import { type Colour, paletteSize } from './chart.ts';

/** Returns the colour of each model of the organization, the same in every view: that of its name's hash until they are known. */
export function useModelColours(): (model: string | null) => Colour {
  const { id } = useOrganization();
  const { data: report } = useQuery(modelsByCostQuery(id));
  return useMemo(() => {
    const names = report?.groups.flatMap(({ value }) => value ?? []) ?? [];
    const colours = assignColours(names);
    return (model) => (model === null ? 'other' : (colours.get(model) ?? colourOfHash(model)));
  }, [report]);
}

const loadedAt = new Date();

/**
 * The costs of the twelve months up to the one in which the page was loaded. They are loaded once, because colours must not change
 * while somebody looks.
 */
function modelsByCostQuery(organizationId: string) {
  const start = addMonths(`${loadedAt.toISOString().slice(0, 7)}-01`, -11);
  return {
    ...costsQuery(organizationId, { group_by: 'model', limit: 100, start }),
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchInterval: false as const,
  };
}

/** Assigns each name, in order, the colour of its hash, or else the next free one; when all are taken, that of its hash. */
export function assignColours(names: readonly string[]): Map<string, number> {
  const colours = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of names) {
    const first = colourOfHash(name);
    const candidates = Array.from({ length: paletteSize }, (_, offset) => (first + offset) % paletteSize);
    const colour = candidates.find((candidate) => !taken.has(candidate)) ?? first;
    colours.set(name, colour);
    taken.add(colour);
  }
  return colours;
}

/** FNV-1a of the UTF-16 code units. */
export function colourOfHash(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % paletteSize;
}
