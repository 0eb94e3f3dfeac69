/** The demo organization and its key, made on the first start. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { generateApiKey, hashApiKey, isLive, newId } from '../lambdas/shared/domain/api-key.ts';
import type { Directory } from '../lambdas/shared/domain/directory.ts';
import { createDirectoryStore } from '../lambdas/shared/stores/directory-store.ts';
import { createDocumentClient } from '../lambdas/shared/stores/document-client.ts';

export interface DemoAccess {
  apiKey: string;
  organizationId: string;
}

/** `known` is what an earlier start made; it is used again while it works. */
export async function provideDemoAccess(request: {
  client: DynamoDBClient;
  tableName: string;
  known: Partial<DemoAccess>;
}): Promise<DemoAccess> {
  const directory = createDirectoryStore({
    client: createDocumentClient(request.client),
    tableName: request.tableName,
  });
  const { apiKey, organizationId } = request.known;
  if (apiKey !== undefined && organizationId !== undefined && (await works(directory, apiKey))) {
    return { apiKey, organizationId };
  }
  return createDemoAccess(directory, organizationId);
}

async function works(directory: Directory, apiKey: string): Promise<boolean> {
  const record = await directory.findApiKeyByHash(hashApiKey(apiKey));
  return record !== null && isLive(record, new Date());
}

async function createDemoAccess(directory: Directory, knownOrganizationId?: string): Promise<DemoAccess> {
  const createdAt = new Date().toISOString();
  const known =
    knownOrganizationId === undefined ? null : await directory.findOrganization(knownOrganizationId);
  const organization = known ?? { id: newId('org'), name: 'Demo', created_at: createdAt };
  if (known === null) await directory.createOrganization(organization);
  const apiKey = generateApiKey();
  await directory.createApiKey(
    {
      id: newId('key'),
      organization_id: organization.id,
      name: 'Demo',
      last_four: apiKey.slice(-4),
      created_at: createdAt,
      expires_at: null,
      revoked_at: null,
    },
    hashApiKey(apiKey),
  );
  return { apiKey, organizationId: organization.id };
}
