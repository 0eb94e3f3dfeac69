/** Queries of API keys. No view reads all of them: an organization may have 10,000. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { get, withParameters } from './client.ts';
import { organizationPath, pagesByCursor } from './organizations.ts';

/** The keys of a list and their order: by default the active ones, the newest first. */
export interface KeyListParameters {
  /** A part of the name, the whole id, or the last four characters. */
  search?: string;
  order?: 'spend' | 'last_used';
  state?: 'ended';
}

export function keyPath<Action extends string = ''>(
  organizationId: string,
  keyId: string,
  action = '' as Action,
): `/organizations/${string}/keys/${string}${Action}` {
  return organizationPath(organizationId, `/keys/${encodeURIComponent(keyId)}${action}`);
}

/** Begins the keys of the queries of all lists of the organization's keys. */
export function keyListsKey(organizationId: string) {
  return ['organizations', organizationId, 'keys'] as const;
}

export function keyListQuery(organizationId: string, { search, ...rest }: KeyListParameters = {}) {
  const parameters: KeyListParameters = { ...rest, search: search?.trim() || undefined };
  return infiniteQueryOptions({
    queryKey: [...keyListsKey(organizationId), parameters] as const,
    queryFn: ({ pageParam: cursor, signal }) =>
      get(withParameters(organizationPath(organizationId, '/keys'), { ...parameters, cursor }), signal),
    ...pagesByCursor,
  });
}

export function keyDetailsQuery(organizationId: string, keyId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'key', keyId],
    queryFn: ({ signal }) => get(keyPath(organizationId, keyId), signal),
  });
}

/** An active key with its budgets; `null` if there is none with the id. */
export function activeKeyQuery(organizationId: string, keyId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'active-key', keyId],
    queryFn: async ({ signal }) => {
      const path = withParameters(organizationPath(organizationId, '/keys'), { search: keyId, limit: 1 });
      const { data } = await get(path, signal);
      return data.find(({ id }) => id === keyId) ?? null;
    },
  });
}

/** Keys whose name has the text, or whose id or last four characters it is: active keys first, the newest of them first. */
export function keySearchQuery(organizationId: string, search: string, limit: number) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'key-names', { search, limit }],
    queryFn: ({ signal }) =>
      get(withParameters(organizationPath(organizationId, '/key-names'), { search, limit }), signal),
  });
}

/** The name of a key; `null` if there is none with the id. Names that are read at the same time share a request. */
export function keyNameQuery(organizationId: string, keyId: string) {
  return queryOptions({
    queryKey: ['organizations', organizationId, 'key-names', keyId],
    queryFn: () => readKeyName(organizationId, keyId),
    staleTime: 5 * minuteMs,
  });
}

/** As many as the API accepts. */
const maxBatchIds = 100;

/** Entries and links may have other ids, which the API refuses. */
const keyIdPattern = /^key_[0-9A-Za-z]{16}$/;

interface Batch {
  ids: Set<string>;
  names: Promise<ReadonlyMap<string, ApiKeyName>>;
}

/** The batches that are not sent yet, by organization. */
const openBatches = new Map<string, Batch>();

async function readKeyName(organizationId: string, keyId: string): Promise<ApiKeyName | null> {
  if (!keyIdPattern.test(keyId)) return null;
  const batch = openBatches.get(organizationId) ?? openBatch(organizationId);
  batch.ids.add(keyId);
  if (batch.ids.size === maxBatchIds) openBatches.delete(organizationId);
  const names = await batch.names;
  return names.get(keyId) ?? null;
}

/** The batch takes ids until the code that runs at present has ended. */
function openBatch(organizationId: string): Batch {
  const ids = new Set<string>();
  const names = Promise.resolve().then(() => {
    if (openBatches.get(organizationId)?.ids === ids) openBatches.delete(organizationId);
    return fetchKeyNames(organizationId, [...ids]);
  });
  const batch = { ids, names };
  openBatches.set(organizationId, batch);
  return batch;
}

async function fetchKeyNames(
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiKeyName>> {
  const path = withParameters(organizationPath(organizationId, '/key-names'), { ids: ids.join(',') });
  // One view alone cannot cancel it.
  const { data } = await get(path, new AbortController().signal);
  return new Map(data.map((name) => [name.id, name]));
}
