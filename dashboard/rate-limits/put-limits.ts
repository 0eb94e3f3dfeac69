import { put } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import type { RateLimitOwner, RateLimitsSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { DefaultName } from './limits.ts';

/** The organization or a key, or new keys. */
type LimitsTarget =
  | { kind: 'owner'; owner: Pick<RateLimitOwner, 'api_key_id'> }
  | { kind: 'default'; name: DefaultName };

/** Replaces all three limits. Those that are `null` end. */
export async function putLimits(
  organizationId: string,
  target: LimitsTarget,
  limits: RateLimitsSummary,
): Promise<void> {
  if (target.kind === 'default') {
    await put(organizationPath(organizationId, '/rate-limits/defaults'), { for: target.name, ...limits });
  } else {
    const { api_key_id } = target.owner;
    await put(organizationPath(organizationId, '/rate-limits'), { api_key_id, ...limits });
  }
}
