import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupSearchQuery, modelListQuery } from '#dashboard/api/analytics.ts';
import { keySearchQuery } from '#dashboard/api/keys.ts';
import { organizationListQuery } from '#dashboard/api/organizations.ts';
import { useCurrentOrganization } from '#dashboard/current-organization/use-current-organization.ts';
import { useDelayed } from '#dashboard/key-names/use-key-search.ts';
import { usePersonTimeZone } from '#dashboard/range/person-zone.ts';
import type { Destination } from './destination.ts';
import {
  callerDestination,
  callerGroups,
  keyDestination,
  modelDestination,
  organizationDestination,
  requestDestinations,
  viewDestinations,
} from './destinations.ts';
import { errorDestinations } from './error-destinations.ts';
import { matching } from './matching.ts';
import { timeDestinations } from './time-destinations.ts';

/** For each kind that is read from the API. */
const maxOfKind = 5;

/** Shorter texts match most names. */
const minCharacters = 2;

interface Destinations {
  found: Destination[];
  isSearching: boolean;
  /** Whether a part of the search has failed, so that something may be missing. */
  isIncomplete: boolean;
}

/** The places that match what is typed. Each search of the API reads a bounded number of rows. */
export function useDestinations(text: string): Destinations {
  const [now] = useState(() => new Date());
  const timeZone = usePersonTimeZone();
  const organization = useCurrentOrganization() ?? null;
  const organizations = useQuery(organizationListQuery);
  const search = text.trim();
  const delayed = useDelayed(search);
  const organizationId = organization?.id ?? '';
  const enabled = organization !== null && delayed.length >= minCharacters;
  const keys = useQuery({ ...keySearchQuery(organizationId, delayed, maxOfKind), enabled });
  const models = useQuery({ ...modelListQuery(organizationId), enabled });
  const callers = useQueries({
    queries: callerGroups.map((group) => ({
      ...groupSearchQuery(organizationId, group, delayed, maxOfKind),
      enabled,
    })),
  });
  const queries = [keys, models, ...callers];
  const isCurrent = enabled && delayed === search;

  const others = organizations.data?.data.filter(({ id }) => id !== organizationId) ?? [];
  const named = matching(
    [...viewDestinations(organization, now), ...others.map(organizationDestination)],
    search,
  );
  const read: Destination[] = [];
  if (isCurrent) {
    read.push(...(keys.data?.data ?? []).map((key) => keyDestination(organizationId, key)));
    for (const [index, group] of callerGroups.entries()) {
      const values = callers[index]?.data ?? [];
      read.push(...values.map((value) => callerDestination(organizationId, group, value)));
    }
    const modelNames = (models.data?.data ?? []).map(({ id }) => modelDestination(organizationId, id));
    read.push(...matching(modelNames, search).slice(0, maxOfKind));
  }
  return {
    found: [
      ...(organization === null ? [] : timeDestinations(organizationId, search, { now, timeZone })),
      ...(organization === null ? [] : requestDestinations(organizationId, search)),
      ...(organization === null ? [] : errorDestinations(organizationId, search)),
      ...named,
      ...read,
    ],
    isSearching:
      organization !== null &&
      search.length >= minCharacters &&
      (!isCurrent || queries.some((query) => query.isPending)),
    isIncomplete: isCurrent && queries.some((query) => query.isError),
  };
}
