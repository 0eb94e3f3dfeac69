/** The demo organization and its API key, created on the first start. */
import { hashApiKey, isActiveApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { type Directory, exists, type Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { newOrganizationId } from '#lambdas/access/id.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { creatorOf } from '#lambdas/audit/record.ts';

export interface DemoAccess {
  apiKey: string;
  organizationId: string;
}

/** Returns `known`, the access created by an earlier start, while its key is valid; creates a new key otherwise. */
export async function ensureDemoAccess(
  table: DirectoryTable,
  audit: AuditTrail,
  known: Partial<DemoAccess>,
): Promise<DemoAccess> {
  const directory = createDirectoryStore(table);
  const { apiKey, organizationId } = known;
  if (apiKey !== undefined && organizationId !== undefined && (await isUsable(directory, apiKey))) {
    return { apiKey, organizationId };
  }
  const organization =
    (await findOrganization(directory, organizationId)) ?? (await createOrganization(directory, audit));
  const { key } = await createKey(directory, audit, organization, 'Demo');
  return { apiKey: key, organizationId: organization.id };
}

async function isUsable(directory: Directory, apiKey: string): Promise<boolean> {
  const record = await directory.findApiKeyByHash(hashApiKey(apiKey));
  return record !== null && isActiveApiKey(record, new Date());
}

/** Resolves to `null` for a deleted organization, which can have no new keys. */
async function findOrganization(
  directory: Directory,
  organizationId: string | undefined,
): Promise<Organization | null> {
  const organization = organizationId === undefined ? null : await directory.findOrganization(organizationId);
  return exists(organization) ? organization : null;
}

async function createOrganization(directory: Directory, audit: AuditTrail): Promise<Organization> {
  const organization = {
    id: newOrganizationId(),
    name: 'Demo',
    created_at: audit.now().toISOString(),
    log_shards: 1,
  };
  await directory.createOrganization(organization, audit);
  return organization;
}

export async function createKey(
  directory: Directory,
  audit: AuditTrail,
  { id }: Organization,
  name: string,
): Promise<ReturnType<typeof issueApiKey>> {
  const issued = issueApiKey({
    organizationId: id,
    name,
    createdAt: audit.now(),
    createdBy: creatorOf(audit.actor),
  });
  if (await directory.createApiKey(issued.apiKey, hashApiKey(issued.key), audit)) return issued;
  throw new Error(`The organization ${id} was deleted at the same time`);
}
