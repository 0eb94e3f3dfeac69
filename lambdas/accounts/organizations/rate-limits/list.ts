/** The list of an organization's rate limits, page by page. */
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { findDefaultRateLimits, queryRateLimits } from '#lambdas/limits/rates/store.ts';
import { readInteger, readQueryParameters } from '#lambdas/platform/http/query.ts';
import type { OrganizationHandler } from '../call.ts';
import { organizationCursor, readOwnerCursor } from '../owners.ts';
import type { RateLimitList } from '../responses.ts';
import { summarizeOwners, summarizeRateLimits } from './summary.ts';

const defaultLimit = 25;
const maxLimit = 100;

/** `GET /dashboard/api/organizations/{organization}/rate-limits`. The cursor is the id of the last key that was read. */
export const listRateLimits: OrganizationHandler<RateLimitList> = async (call, dependencies) => {
  const { limit, cursor } = readQueryParameters(call.query, ['limit', 'cursor']);
  const { directoryTable } = dependencies;
  const organizationId = call.organization.id;
  const query = {
    organizationId,
    after: cursor === undefined ? null : { keyId: readOwnerCursor(cursor) },
    limit: limit === undefined ? defaultLimit : readInteger('limit', limit, { min: 1, max: maxLimit }),
  };
  const [{ records, next }, { new_keys, member_keys }] = await Promise.all([
    queryRateLimits(directoryTable, query),
    findDefaultRateLimits(directoryTable, organizationId),
  ]);
  return jsonResponse({
    object: 'list',
    data: await summarizeOwners(dependencies, organizationId, records),
    next_cursor: next && (next.keyId ?? organizationCursor),
    defaults: {
      new_keys: new_keys && summarizeRateLimits(new_keys),
      member_keys: member_keys && summarizeRateLimits(member_keys),
    },
  });
};
