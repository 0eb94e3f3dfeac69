import { type Directory, exists, type Organization } from '#lambdas/access/directory.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';

export const canaryOrganizationId = 'org_canary';

/** Creates the organization at the first run. Throws if it has been deleted, since its id cannot be used again. */
export async function ensureOrganization(
  directory: Pick<Directory, 'findOrganization' | 'createOrganization'>,
  audit: AuditTrail,
): Promise<Organization> {
  const found = await directory.findOrganization(canaryOrganizationId);
  if (exists(found)) return found;
  if (found !== null) throw new Error('The organization of the canary is deleted');
  const organization = {
    id: canaryOrganizationId,
    name: 'Canary',
    created_at: audit.now().toISOString(),
    log_shards: 1,
  };
  await directory.createOrganization(organization, audit);
  return organization;
}
