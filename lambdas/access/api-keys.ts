import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { ApiKey, ApiKeys } from './directory.ts';
import {
  byCreation,
  createRecordIf,
  type DirectoryTable,
  findRecord,
  organizationKey,
  queryRecords,
  type UnchangedAttribute,
  updateRecordIf,
} from './directory-table.ts';
import { apiKeyItemKey, createApiKeyFinder, toApiKey } from './key-lookup.ts';
import { keysByOrganization } from './schema.ts';

export const organizationKeysQuery = (organizationId: string) => ({
  IndexName: keysByOrganization.indexName,
  KeyConditionExpression: `${keysByOrganization.partitionKey} = :organization`,
  ExpressionAttributeValues: { ':organization': organizationId },
});

export function createApiKeyStore(table: DirectoryTable): ApiKeys {
  const updateKey = async (id: ApiKeyId, update: Update): Promise<ApiKey | null> => {
    const key = await findPrimaryKey(table, id);
    const item = key && (await updateRecordIf(table, { Key: key, ...update }));
    return item && toApiKey(item);
  };

  return {
    ...createApiKeyFinder({ calls: createSdkTableCalls(table.client), tableName: table.tableName }),

    createApiKey: (apiKey, keyHash) => createWithBudgets(table, apiKey, keyHash),

    async findApiKey(organizationId, keyId) {
      const key = await findPrimaryKey(table, { organizationId, keyId });
      const item = key && (await findRecord(table, key));
      return item && toApiKey(item);
    },

    async listApiKeys(organizationId) {
      const items = await queryRecords(table, organizationKeysQuery(organizationId));
      return items.map(toApiKey).sort(byCreation);
    },

    // The condition keeps the time of the first revocation.
    revokeApiKey: (organizationId, keyId, revokedAt) =>
      updateKey(
        { organizationId, keyId },
        {
          UpdateExpression: 'SET revoked_at = :revoked_at',
          ConditionExpression: 'revoked_at = :none',
          ExpressionAttributeValues: { ':revoked_at': revokedAt, ':none': null },
        },
      ),

    // All timestamps have the same format, so they can be compared as text.
    expireApiKey: (organizationId, keyId, expiresAt) =>
      updateKey(
        { organizationId, keyId },
        {
          UpdateExpression: 'SET expires_at = :expires_at',
          ConditionExpression: 'expires_at = :none OR expires_at > :expires_at',
          ExpressionAttributeValues: { ':expires_at': expiresAt, ':none': null },
        },
      ),
  };
}

/**
 * Creates the key with the hard budgets that apply to it. They may change at the same time: the key is created only if they
 * have not, since a key that misses one could spend without limit.
 */
async function createWithBudgets(table: DirectoryTable, apiKey: ApiKey, keyHash: string): Promise<void> {
  const { organization_id: organizationId, budget_key_id: keyId } = apiKey;
  const organization: Item = organizationKey(organizationId);
  const sources = [{ key: organization, attribute: 'budget', copy: 'organization_budget' }];
  const budgetKey = keyId === undefined ? null : await findPrimaryKey(table, { organizationId, keyId });
  if (budgetKey !== null) sources.push({ key: budgetKey, attribute: 'key_budget', copy: 'key_budget' });
  for (;;) {
    const item: Item = { ...apiKeyItemKey(keyHash), ...apiKey };
    const unchanged: UnchangedAttribute[] = [];
    for (const { key, attribute, copy } of sources) {
      const value = (await findRecord(table, key))?.[attribute];
      unchanged.push({ key, attribute, value });
      if (value !== undefined) item[copy] = value;
    }
    if (await createRecordIf(table, item, unchanged)) return;
  }
}

interface ApiKeyId {
  organizationId: string;
  keyId: string;
}

interface Update {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeValues: Item;
}

async function findPrimaryKey(
  table: DirectoryTable,
  { organizationId, keyId }: ApiKeyId,
): Promise<Item | null> {
  const [item] = await queryRecords(table, {
    IndexName: keysByOrganization.indexName,
    KeyConditionExpression: `${keysByOrganization.partitionKey} = :organization AND ${keysByOrganization.sortKey} = :id`,
    ExpressionAttributeValues: { ':organization': organizationId, ':id': keyId },
  });
  return item === undefined ? null : { pk: item.pk, sk: item.sk };
}
