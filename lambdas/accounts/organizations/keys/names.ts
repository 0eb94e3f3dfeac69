/** The names of keys, for labels and for the choice of a key: without sums and budgets. */
import { isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey, Directory } from '#lambdas/access/directory.ts';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { descending } from '#lambdas/platform/merge-sorted.ts';
import type { OrganizationCall, OrganizationDependencies, OrganizationHandler } from '../call.ts';
import type { ApiKeyName, ApiKeyNames } from '../responses.ts';
import { isFound, isKeyId, type KeySearch, readSearch } from './filter.ts';
import { readNewestKeys } from './newest.ts';
import { stateOf } from './summary.ts';

const defaultLimit = 20;
const maxLimit = 100;
const maxIds = 100;

/** `GET /dashboard/api/organizations/{organization}/key-names`: keys by their ids, or those that match a search. */
export const listKeyNames: OrganizationHandler<ApiKeyNames> = async (call, dependencies) => {
  const { ids, search, limit } = readQueryParameters(call.query, ['ids', 'search', 'limit']);
  if (ids !== undefined && (search !== undefined || limit !== undefined)) {
    throw invalidRequestError('ids', 'ids cannot be combined with search and limit');
  }
  const apiKeys =
    ids === undefined
      ? await searchKeys(call, dependencies, { search, limit })
      : await findKeys(call, dependencies, readIds(ids));
  const now = dependencies.now();
  return jsonResponse({ object: 'list', data: apiKeys.map((apiKey) => toKeyName(apiKey, now)) });
};

export function toKeyName(apiKey: ApiKey, now: Date): ApiKeyName {
  const { id, name, last_four } = apiKey;
  return { id, name, last_four, state: stateOf(apiKey, now) };
}

function readIds(text: string): string[] {
  const ids = [...new Set(text.split(','))];
  if (ids.length <= maxIds && ids.every(isKeyId)) return ids;
  throw invalidRequestError('ids', `ids must be at most ${maxIds} ids of API keys, separated by commas`);
}

/** In the order of the ids. Ids without a key are left out. */
async function findKeys(
  { organization }: OrganizationCall,
  { directory }: OrganizationDependencies,
  ids: readonly string[],
): Promise<ApiKey[]> {
  const apiKeys = await directory.findApiKeys(organization.id, ids);
  const byId = new Map(apiKeys.map((apiKey) => [apiKey.id, apiKey]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Active keys first, then ended ones, the newest of them first. */
async function searchKeys(
  { organization: { id: organizationId } }: OrganizationCall,
  { directory, now }: OrganizationDependencies,
  parameters: { search: string | undefined; limit: string | undefined },
): Promise<ApiKey[]> {
  const limit =
    parameters.limit === undefined
      ? defaultLimit
      : readInteger('limit', parameters.limit, { min: 1, max: maxLimit });
  const search = readSearch(parameters.search);
  if (search !== null && isKeyId(search.text)) return directory.findApiKeys(organizationId, [search.text]);
  return search === null
    ? listNewest(directory, { organizationId, limit }, now())
    : findMatches(directory, { organizationId, search, limit }, now());
}

async function listNewest(
  directory: Directory,
  { organizationId, limit }: { organizationId: string; limit: number },
  now: Date,
): Promise<ApiKey[]> {
  const query = { organizationId, before: null };
  const active = await readNewestKeys(
    directory,
    { ...query, filter: { state: 'active', search: null }, limit },
    now,
  );
  const remaining = limit - active.apiKeys.length;
  if (remaining === 0) return active.apiKeys;
  const filter = { state: 'ended', search: null } as const;
  const ended = await readNewestKeys(directory, { ...query, filter, limit: remaining }, now);
  return [...active.apiKeys, ...ended.apiKeys];
}

/** In the archive, only so many of the newest keys are searched. */
const maxArchivedKeys = 5000;

/** Reads the current keys once for both states. */
async function findMatches(
  directory: Directory,
  { organizationId, search, limit }: { organizationId: string; search: KeySearch; limit: number },
  now: Date,
): Promise<ApiKey[]> {
  const current = await directory.listCurrentApiKeys(organizationId);
  const found = current.filter((apiKey) => isFound(apiKey, search));
  const active = found.filter((apiKey) => isActiveApiKey(apiKey, now)).slice(0, limit);
  if (active.length === limit) return active;
  // Keys move to the archive: read afterwards, it has what was not among the current ones.
  const query = { organizationId, archived: true, before: null, limit: maxArchivedKeys };
  const { apiKeys: archived } = await directory.queryApiKeys(query);
  const ended = [...found, ...archived.filter((apiKey) => isFound(apiKey, search))];
  const activeIds = new Set(active.map(({ id }) => id));
  const byId = new Map(ended.filter(({ id }) => !activeIds.has(id)).map((apiKey) => [apiKey.id, apiKey]));
  const newestFirst = [...byId.values()].sort((one, other) => descending(one.id, other.id));
  return [...active, ...newestFirst].slice(0, limit);
}
