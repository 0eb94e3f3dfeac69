import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { keyNameQuery } from '#dashboard/api/keys.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';

/** The names of these keys by their ids; without those that are not loaded yet, or do not exist. */
export function useKeyNames(keyIds: readonly string[]): ReadonlyMap<string, string> {
  return useLoadingKeyNames(keyIds).names;
}

interface KeyNames {
  names: ReadonlyMap<string, string>;
  /** Whether some of them are not loaded yet. */
  arePending: boolean;
}

export function useLoadingKeyNames(keyIds: readonly string[]): KeyNames {
  const { id: organizationId } = useOrganization();
  return useQueries({
    queries: [...new Set(keyIds)].map((keyId) => keyNameQuery(organizationId, keyId)),
    combine: namesById,
  });
}

/** Outside of the hook, so that the map is made again only when a name has changed. */
function namesById(results: UseQueryResult<ApiKeyName | null>[]): KeyNames {
  return {
    names: new Map(results.flatMap(({ data }) => (data ? [[data.id, data.name]] : []))),
    arePending: results.some(({ isPending }) => isPending),
  };
}

/** The key with its name; `null` while it is loading, if it does not exist, and without an id. */
export function useKeyName(keyId: string | null): ApiKeyName | null {
  const { id: organizationId } = useOrganization();
  const { data } = useQuery({
    ...keyNameQuery(organizationId, keyId ?? ''),
    enabled: keyId !== null,
  });
  return data ?? null;
}
