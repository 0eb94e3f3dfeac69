import { randomBytes } from 'node:crypto';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { organizationKeysQuery } from './api-keys.ts';
import type { LogAccess, Organization, Organizations } from './directory.ts';
import {
  byCreation,
  createRecord,
  type DirectoryTable,
  findRecord,
  organizationKey,
  organizationsPartition,
  queryRecords,
  raiseRecordLogShards,
} from './directory-table.ts';

export function newCursorKey(): string {
  return randomBytes(32).toString('base64url');
}

export function createOrganizationStore(table: DirectoryTable): Organizations {
  const logAccessOf = async (organizationId: string): Promise<LogAccess> => {
    const item = await findRecord(table, organizationKey(organizationId));
    if (item === null) throw new Error(`There is no organization ${organizationId}`);
    const { log_shards: shards, cursor_key: cursorKey } = item;
    if (typeof shards !== 'number' || typeof cursorKey !== 'string') {
      throw new Error(`The record of organization ${organizationId} has no log_shards or no cursor_key`);
    }
    return { shards, cursorKey };
  };

  return {
    createOrganization: (organization) =>
      createRecord(table, {
        ...organizationKey(organization.id),
        ...organization,
        cursor_key: newCursorKey(),
      }),

    async findOrganization(organizationId) {
      const item = await findRecord(table, organizationKey(organizationId));
      return item && toOrganization(item);
    },

    async listOrganizations() {
      const items = await queryRecords(table, {
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': organizationsPartition },
        ConsistentRead: true,
      });
      return items.map(toOrganization).sort(byCreation);
    },

    logShardsOf: async (organizationId) => (await logAccessOf(organizationId)).shards,

    logAccessOf,

    async raiseLogShards(organizationId, logShards) {
      const raised = await raiseRecordLogShards(table, { key: organizationKey(organizationId), logShards });
      if (raised === null) return null;
      const keys = await queryRecords(table, organizationKeysQuery(organizationId));
      const organization = toOrganization(raised);
      const raise = ({ pk, sk }: Item) =>
        raiseRecordLogShards(table, { key: { pk, sk }, logShards: organization.log_shards });
      await Promise.all(keys.map(raise));
      return organization;
    },
  };
}

/** Leaves out the cursor key, which is a secret. */
function toOrganization({ pk: _, sk: __, cursor_key: ___, ...organization }: Item): Organization {
  return organization as unknown as Organization;
}
