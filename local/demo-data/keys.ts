/** The API keys of the demo data. Nobody knows their secrets: only log entries name them. */
import { hashApiKey, isActiveApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { type ApiKey, type Directory, exists } from '#lambdas/access/directory.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { type DemoKeyName, demoKeyNames } from './workloads.ts';

/** Creates those whose name no active key of the organization has. */
export async function ensureDemoKeys(
  directory: Directory,
  audit: AuditTrail,
  organizationId: string,
): Promise<Record<DemoKeyName, ApiKey>> {
  const known = await directory.listApiKeys(organizationId);
  const keys: Partial<Record<DemoKeyName, ApiKey>> = {};
  for (const name of demoKeyNames) {
    const existing = known.find((key) => key.name === name && isActiveApiKey(key, audit.now()));
    keys[name] = existing ?? (await createKey(directory, audit, organizationId, name));
  }
  return keys as Record<DemoKeyName, ApiKey>;
}

async function createKey(
  directory: Directory,
  audit: AuditTrail,
  organizationId: string,
  name: string,
): Promise<ApiKey> {
  const organization = await directory.findOrganization(organizationId);
  if (!exists(organization)) throw deletedError(organizationId);
  const { key, apiKey } = issueApiKey({
    organizationId,
    name,
    createdAt: audit.now(),
    createdBy: creatorOf(audit.actor),
    logShards: organization.log_shards,
  });
  if (await directory.createApiKey(apiKey, hashApiKey(key), audit)) return apiKey;
  throw deletedError(organizationId);
}

function deletedError(organizationId: string): LocalGatewayError {
  return new LocalGatewayError(`The organization ${organizationId} was deleted at the same time`);
}
