import * as z from 'zod/mini';
import type { RateLimitName, RateLimits } from '#lambdas/access/rate-limits.ts';
import { maxRateLimits, type RateLimitScope } from '#lambdas/limits/rates/rate-limits.ts';
import type { OrganizationDependencies } from '../call.ts';
import { ownerNames, readOwnerKeys } from '../owners.ts';
import type { RateLimitOwner, RateLimitsSummary } from '../responses.ts';

/** The fields of rate limits in request bodies: all of them, with `null` for a limit that is not set. */
export const rateLimitFields = {
  requests_per_minute: limitField('requests_per_minute'),
  tokens_per_minute: limitField('tokens_per_minute'),
  concurrent: limitField('concurrent'),
};

function limitField(name: RateLimitName) {
  const max = maxRateLimits[name];
  const error = `${name} must be a whole number from 1 to ${max}, or null for no limit`;
  return z.nullable(z.int({ error }).check(z.minimum(1, { error }), z.maximum(max, { error })));
}

export function summarizeRateLimits(limits: RateLimits | null): RateLimitsSummary {
  const { requests_per_minute = null, tokens_per_minute = null, concurrent = null } = limits ?? {};
  return { requests_per_minute, tokens_per_minute, concurrent };
}

interface OwnedRateLimits {
  scope: RateLimitScope;
  /** `null` if they were removed. */
  limits: RateLimits | null;
}

/** In the same order. Of at most 100 owners. */
export async function summarizeOwners(
  dependencies: Pick<OrganizationDependencies, 'directory'>,
  organizationId: string,
  owned: readonly OwnedRateLimits[],
): Promise<RateLimitOwner[]> {
  const scopes = owned.map(({ scope }) => scope);
  const apiKeys = await readOwnerKeys(dependencies, organizationId, { scopes, replacements: 'of revoked' });
  const nameOf = ownerNames(apiKeys);
  return owned.map(({ scope, limits }) => ({
    api_key_id: scope.keyId,
    api_key_name: nameOf(scope),
    ...summarizeRateLimits(limits),
  }));
}
