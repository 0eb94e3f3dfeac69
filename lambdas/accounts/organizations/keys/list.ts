/** The list of an organization's keys, page by page. */
import type { ApiKey } from '#lambdas/access/directory.ts';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { readChoice, readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import { periodText } from '#lambdas/platform/period.ts';
import type { OrganizationCall, OrganizationDependencies, OrganizationHandler } from '../call.ts';
import type { ApiKeyList } from '../responses.ts';
import { cursorError, isKeyId, type KeyFilter, listedStates, readSearch } from './filter.ts';
import { readNewestKeys } from './newest.ts';
import { readRankedKeys, readRankingCursor, writeRankingCursor } from './ranked.ts';
import { type KeyOrder, keyOrders, rankKeys } from './ranking.ts';
import { readKeySummaries } from './summary.ts';
import { usageStartMs } from './usage.ts';

const defaultLimit = 25;
const maxLimit = 100;
const orders = ['created', ...keyOrders] as const;

interface ListQuery {
  order: (typeof orders)[number];
  filter: KeyFilter;
  limit: number;
  cursor: string | undefined;
}

/** `GET /dashboard/api/organizations/{organization}/keys` */
export const listKeys: OrganizationHandler<ApiKeyList> = async (call, dependencies) => {
  const query = readListQuery(call);
  const { order } = query;
  const { apiKeys, next_cursor, ranking } = await (order === 'created'
    ? readByCreation(call, dependencies, query)
    : readByRank(call, dependencies, { ...query, order }));
  return jsonResponse({
    object: 'list',
    data: await readKeySummaries(call, dependencies, apiKeys),
    next_cursor,
    spend_since: periodText('day', usageStartMs(dependencies.now())),
    ranking,
  });
};

function readListQuery({ query }: OrganizationCall): ListQuery {
  const parameters = readQueryParameters(query, ['limit', 'cursor', 'search', 'order', 'state']);
  const { limit, cursor, order = 'created', state = 'active' } = parameters;
  return {
    order: readChoice('order', order, orders),
    filter: { state: readChoice('state', state, listedStates), search: readSearch(parameters.search) },
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
    cursor,
  };
}

interface ListPage extends Pick<ApiKeyList, 'next_cursor' | 'ranking'> {
  apiKeys: ApiKey[];
}

/** The cursor is the id of the last key that was read. */
async function readByCreation(
  { organization }: OrganizationCall,
  { directory, now }: OrganizationDependencies,
  { filter, limit, cursor }: ListQuery,
): Promise<ListPage> {
  if (cursor !== undefined && !isKeyId(cursor)) throw cursorError();
  const query = { organizationId: organization.id, filter, before: cursor ?? null, limit };
  const { apiKeys, next } = await readNewestKeys(directory, query, now());
  return { apiKeys, next_cursor: next, ranking: null };
}

async function readByRank(
  { organization: { id: organizationId, log_shards: logShards } }: OrganizationCall,
  { directory, costRollups, now }: OrganizationDependencies,
  { order, filter, limit, cursor }: ListQuery & { order: KeyOrder },
): Promise<ListPage> {
  const after = cursor === undefined ? null : readRankingCursor(order, cursor);
  const ranking = await rankKeys(costRollups, { organizationId, logShards }, order, now());
  const query = { organizationId, filter, after, limit };
  const { apiKeys, next } = await readRankedKeys(directory, ranking, query, now());
  return {
    apiKeys,
    next_cursor: next && writeRankingCursor(order, next),
    ranking: { keys: ranking.keys.length, complete: ranking.complete },
  };
}
