/** The names of keys, for labels and for the choice of a key: without sums and budgets. */
import type { ApiKey } from '#lambdas/access/directory.ts';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import type { OrganizationCall, OrganizationDependencies, OrganizationHandler } from '../call.ts';
import type { ApiKeyName, ApiKeyNames } from '../responses.ts';
import { isKeyId, readSearch } from './filter.ts';
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
  const data = apiKeys.map(
    (apiKey): ApiKeyName => ({
      id: apiKey.id,
      name: apiKey.name,
      last_four: apiKey.last_four,
      state: stateOf(apiKey, now),
    }),
  );
  return jsonResponse({ object: 'list', data });
};

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
  { organization }: OrganizationCall,
  { directory, now }: OrganizationDependencies,
  parameters: { search: string | undefined; limit: string | undefined },
): Promise<ApiKey[]> {
  const limit =
    parameters.limit === undefined
      ? defaultLimit
      : readInteger('limit', parameters.limit, { min: 1, max: maxLimit });
  const search = readSearch(parameters.search);
  const found: ApiKey[] = [];
  for (const state of ['active', 'ended'] as const) {
    const remaining = limit - found.length;
    if (remaining === 0) break;
    const query = { organizationId: organization.id, filter: { state, search }, before: null };
    const { apiKeys } = await readNewestKeys(directory, { ...query, limit: remaining }, now());
    found.push(...apiKeys);
  }
  return found;
}
