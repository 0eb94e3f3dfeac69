/** The rate limits of an organization and of its API keys. */
import * as z from 'zod/mini';
import { readBody } from '#lambdas/accounts/http/request.ts';
import { jsonResponse } from '#lambdas/accounts/http/response.ts';
import { changeDefaultRateLimits, changeRateLimits } from '#lambdas/limits/rates/changes.ts';
import { rateLimitsOf } from '#lambdas/limits/rates/rate-limits.ts';
import { rateLimitDefaultNames } from '#lambdas/limits/rates/store.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type OrganizationHandler, organizationRoute, type Route } from '../call.ts';
import { apiKeyIdField, findOwner } from '../owners.ts';
import type { RateLimitOwner, RateLimitsSummary } from '../responses.ts';
import { listRateLimits } from './list.ts';
import { rateLimitFields, summarizeOwners, summarizeRateLimits } from './summary.ts';

const ownedRateLimits = z.strictObject({ api_key_id: apiKeyIdField, ...rateLimitFields });

/** `PUT /dashboard/api/organizations/{organization}/rate-limits` replaces all limits of the owner. */
const replaceRateLimits: OrganizationHandler<RateLimitOwner> = async (call, dependencies) => {
  const { api_key_id, ...fields } = await readBody(call, ownedRateLimits);
  const limits = rateLimitsOf(fields);
  const { scope, isRevoked } = await findOwner(call, dependencies, api_key_id);
  if (isRevoked && limits !== null) {
    throw new GatewayError('conflict', {
      param: 'api_key_id',
      message: 'This API key is revoked, so rate limits have no effect: choose an active key',
    });
  }
  await changeRateLimits(dependencies.directoryTable, scope, () => limits, call.audit);
  const [owner] = await summarizeOwners(dependencies, call.organization.id, [{ scope, limits }]);
  if (owner === undefined) throw new Error('The rate limits have no summary');
  return jsonResponse(owner);
};

const defaultRateLimits = z.strictObject({
  for: z.enum(rateLimitDefaultNames, { error: 'for must be new_keys or member_keys' }),
  ...rateLimitFields,
});

/** `PUT /dashboard/api/organizations/{organization}/rate-limits/defaults`. No existing key changes. */
const replaceDefaults: OrganizationHandler<RateLimitsSummary> = async (call, { directoryTable }) => {
  const { for: name, ...fields } = await readBody(call, defaultRateLimits);
  const limits = rateLimitsOf(fields);
  const defaults = { organizationId: call.organization.id, name };
  await changeDefaultRateLimits(directoryTable, defaults, () => limits, call.audit);
  return jsonResponse(summarizeRateLimits(limits));
};

export const rateLimitRoutes: readonly Route[] = [
  organizationRoute('GET', '/rate-limits', 'view', listRateLimits),
  organizationRoute('PUT', '/rate-limits', 'manage_budgets', replaceRateLimits),
  organizationRoute('PUT', '/rate-limits/defaults', 'manage_budgets', replaceDefaults),
];
