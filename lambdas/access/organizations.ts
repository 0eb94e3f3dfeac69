/** Organizations in the Directory table. */

import { randomBytes } from 'node:crypto';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { createApiKeyStore, keysOf } from './api-keys.ts';
import type { Directory, Organization, Organizations } from './directory.ts';
import {
  byCreation,
  createRecord,
  type DirectoryTable,
  findRecord,
  queryRecords,
  raiseLogShardsOf,
} from './directory-table.ts';
import { logShardsIn } from './find-api-key.ts';

const organizationsPartition = 'organizations';

const organizationKey = (organizationId: string) => ({ pk: organizationsPartition, sk: organizationId });

/** The secret with which an organization's log cursors are signed: 256 random bits. */
export function newCursorKey(): string {
  return randomBytes(32).toString('base64url');
}

export function createOrganizationStore(table: DirectoryTable): Organizations {
  return {
    createOrganization: (organization) =>
      createRecord(table, {
        ...organizationKey(organization.id),
        ...organization,
        cursor_key: newCursorKey(),
      }),

    async findOrganization(organizationId) {
      const item = await findRecord(table, organizationKey(organizationId));
      return item && asOrganization(item);
    },

    async listOrganizations() {
      const items = await queryRecords(table, {
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': organizationsPartition },
        ConsistentRead: true,
      });
      return items.map(asOrganization).sort(byCreation);
    },

    async logShardsOf(organizationId) {
      return logShardsIn((await findRecord(table, organizationKey(organizationId))) ?? {});
    },

    async logAccessOf(organizationId) {
      const item = (await findRecord(table, organizationKey(organizationId))) ?? {};
      return { shards: logShardsIn(item), cursorKey: cursorKeyIn(item) };
    },

    async raiseLogShards(organizationId, logShards) {
      const raised = await raiseLogShardsOf(table, { key: organizationKey(organizationId), logShards });
      if (raised === null) return null;
      const keys = await queryRecords(table, keysOf(organizationId));
      const organization = asOrganization(raised);
      const raise = ({ pk, sk }: Item) =>
        raiseLogShardsOf(table, { key: { pk, sk }, logShards: organization.log_shards });
      await Promise.all(keys.map(raise));
      return organization;
    },
  };
}

/** Field by field, so that nobody is shown the cursor key. */
function asOrganization(item: Item): Organization {
  const { id, name, created_at } = item;
  return { id, name, created_at, log_shards: logShardsIn(item) } as Organization;
}

/** Records of before cursors were signed have none: what such a cursor still finds is what was mixed up. */
function cursorKeyIn({ cursor_key }: Item): string {
  return typeof cursor_key === 'string' ? cursor_key : '';
}

// Organizations and API keys, which share the Directory table.

export function createDirectoryStore(table: DirectoryTable): Directory {
  return { ...createOrganizationStore(table), ...createApiKeyStore(table) };
}
