/** API keys in the Directory table. */

import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { ApiKey, ApiKeys } from './directory.ts';
import {
  byCreation,
  createRecord,
  type DirectoryTable,
  findRecord,
  queryRecords,
  updateRecordIf,
} from './directory-table.ts';
import { apiKeyKey, asApiKey, createApiKeyFinder } from './key-lookup.ts';
import { keysByOrganization } from './schema.ts';

/** A query for the records of all of an organization's keys. */
export const keysOf = (organizationId: string) => ({
  IndexName: keysByOrganization.indexName,
  KeyConditionExpression: `${keysByOrganization.partitionKey} = :organization`,
  ExpressionAttributeValues: { ':organization': organizationId },
});

export function createApiKeyStore(table: DirectoryTable): ApiKeys {
  const change = async (keyOf: KeyName, update: Update): Promise<ApiKey | null> => {
    const key = await locate(table, keyOf);
    const item = key && (await updateRecordIf(table, { Key: key, ...update }));
    return item && asApiKey(item);
  };

  return {
    ...createApiKeyFinder({ calls: createSdkTableCalls(table.client), tableName: table.tableName }),

    createApiKey: (apiKey, keyHash) => createRecord(table, { ...apiKeyKey(keyHash), ...apiKey }),

    async findApiKey(organizationId, keyId) {
      const key = await locate(table, { organizationId, keyId });
      const item = key && (await findRecord(table, key));
      return item && asApiKey(item);
    },

    async listApiKeys(organizationId) {
      const items = await queryRecords(table, keysOf(organizationId));
      return items.map(asApiKey).sort(byCreation);
    },

    // Only where there is no time, so that of two revocations the first one counts.
    revokeApiKey: (organizationId, keyId, revokedAt) =>
      change(
        { organizationId, keyId },
        {
          UpdateExpression: 'SET revoked_at = :revoked_at',
          ConditionExpression: 'revoked_at = :none',
          ExpressionAttributeValues: { ':revoked_at': revokedAt, ':none': null },
        },
      ),

    // All times are written in one form, so their texts sort as they do.
    expireApiKey: (organizationId, keyId, expiresAt) =>
      change(
        { organizationId, keyId },
        {
          UpdateExpression: 'SET expires_at = :expires_at',
          ConditionExpression: 'expires_at = :none OR expires_at > :expires_at',
          ExpressionAttributeValues: { ':expires_at': expiresAt, ':none': null },
        },
      ),
  };
}

interface KeyName {
  organizationId: string;
  keyId: string;
}

interface Update {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeValues: Item;
}

/** Where the record of an organization's key lies; `null` when the organization has no such key. */
async function locate(table: DirectoryTable, { organizationId, keyId }: KeyName): Promise<Item | null> {
  const [item] = await queryRecords(table, {
    IndexName: keysByOrganization.indexName,
    KeyConditionExpression: `${keysByOrganization.partitionKey} = :organization AND ${keysByOrganization.sortKey} = :id`,
    ExpressionAttributeValues: { ':organization': organizationId, ':id': keyId },
  });
  return item === undefined ? null : { pk: item.pk, sk: item.sk };
}
