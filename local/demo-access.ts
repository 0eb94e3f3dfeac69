/** The demo organization and its API key, created on the first start. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { hashApiKey, isActiveApiKey, issueApiKey, newId } from '#lambdas/access/api-key.ts';
import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';

export interface DemoAccess {
  apiKey: string;
  organizationId: string;
}

/** Returns `known`, the access created by an earlier start, while its key is valid; creates a new key otherwise. */
export async function ensureDemoAccess(request: {
  client: DynamoDBClient;
  tableName: string;
  known: Partial<DemoAccess>;
}): Promise<DemoAccess> {
  const directory = createDirectoryStore({
    client: createDocumentClient(request.client),
    tableName: request.tableName,
  });
  const { apiKey, organizationId } = request.known;
  if (apiKey !== undefined && organizationId !== undefined && (await isUsable(directory, apiKey))) {
    return { apiKey, organizationId };
  }
  return createDemoAccess(directory, organizationId);
}

async function isUsable(directory: Directory, apiKey: string): Promise<boolean> {
  const record = await directory.findApiKeyByHash(hashApiKey(apiKey));
  return record !== null && isActiveApiKey(record, new Date());
}

async function createDemoAccess(directory: Directory, knownOrganizationId?: string): Promise<DemoAccess> {
  const createdAt = new Date();
  const known =
    knownOrganizationId === undefined ? null : await directory.findOrganization(knownOrganizationId);
  const organization = known ?? {
    id: newId('org'),
    name: 'Demo',
    created_at: createdAt.toISOString(),
    log_shards: 1,
  };
  if (known === null) await directory.createOrganization(organization);
  const { key, apiKey } = issueApiKey({
    organizationId: organization.id,
    name: 'Demo',
    createdAt,
    logShards: organization.log_shards,
  });
  await directory.createApiKey(apiKey, hashApiKey(key));
  return { apiKey: key, organizationId: organization.id };
}
