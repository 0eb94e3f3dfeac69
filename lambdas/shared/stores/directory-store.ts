/** Organizations and API keys in the Directory table. */

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { ApiKey, Directory, Organization } from '../domain/directory.ts';

type Item = Record<string, unknown>;

interface Table {
  client: DynamoDBDocumentClient;
  tableName: string;
}

const organizationsPartition = 'organizations';
const byOrganizationIndex = 'by-organization';

const organizationKey = (organizationId: string) => ({ pk: organizationsPartition, sk: organizationId });
const apiKeyKey = (keyHash: string) => ({ pk: `key#${keyHash}`, sk: 'key' });

export function createDirectoryStore(table: Table): Directory {
  return { ...organizationMethods(table), ...apiKeyMethods(table) };
}

type OrganizationMethods = Pick<
  Directory,
  `${'create' | 'find'}Organization` | 'listOrganizations' | 'logShardsOf' | 'raiseLogShards'
>;

function organizationMethods(table: Table): OrganizationMethods {
  return {
    createOrganization: (organization) =>
      create(table, { ...organizationKey(organization.id), ...organization }),

    async findOrganization(organizationId) {
      const item = await find(table, organizationKey(organizationId));
      return item && asOrganization(item);
    },

    async listOrganizations() {
      const items = await query(table, {
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': organizationsPartition },
        ConsistentRead: true,
      });
      return items.map(asOrganization).sort(byCreation);
    },

    async logShardsOf(organizationId) {
      const item = await find(table, organizationKey(organizationId));
      return logShardsIn(item ?? {});
    },

    async raiseLogShards(organizationId, logShards) {
      const key = organizationKey(organizationId);
      const raised = await raise(table, { key, logShards });
      if (raised === null) return null;
      const keys = await query(table, keysOf(organizationId));
      const { log_shards } = asOrganization(raised);
      await Promise.all(keys.map(({ pk, sk }) => raise(table, { key: { pk, sk }, logShards: log_shards })));
      return asOrganization(raised);
    },
  };
}

function apiKeyMethods(table: Table): Omit<Directory, keyof OrganizationMethods> {
  return {
    createApiKey: (apiKey, keyHash) => create(table, { ...apiKeyKey(keyHash), ...apiKey }),

    async findApiKeyByHash(keyHash) {
      const item = await find(table, apiKeyKey(keyHash));
      return item && asApiKey(item);
    },

    async listApiKeys(organizationId) {
      const items = await query(table, keysOf(organizationId));
      return items.map(asApiKey).sort(byCreation);
    },

    async revokeApiKey(organizationId, keyId, revokedAt) {
      const [item] = await query(table, {
        IndexName: byOrganizationIndex,
        KeyConditionExpression: 'organization_id = :organization AND id = :id',
        ExpressionAttributeValues: { ':organization': organizationId, ':id': keyId },
      });
      if (item === undefined) return null;
      const revoked = await markRevoked(table, { key: { pk: item.pk, sk: item.sk }, revokedAt });
      return revoked && asApiKey(revoked);
    },
  };
}

const keysOf = (organizationId: string) => ({
  IndexName: byOrganizationIndex,
  KeyConditionExpression: 'organization_id = :organization',
  ExpressionAttributeValues: { ':organization': organizationId },
});

async function create({ client, tableName }: Table, item: Item): Promise<void> {
  const ConditionExpression = 'attribute_not_exists(pk)';
  await client.send(new PutCommand({ TableName: tableName, Item: item, ConditionExpression }));
}

async function find({ client, tableName }: Table, key: Item): Promise<Item | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }),
  );
  return Item ?? null;
}

async function query({ client, tableName }: Table, input: Omit<QueryCommandInput, 'TableName'>) {
  const items: Item[] = [];
  for await (const page of paginateQuery({ client }, { TableName: tableName, ...input })) {
    items.push(...(page.Items ?? []));
  }
  return items;
}

interface Revocation {
  key: Item;
  revokedAt: string;
}

/** The record afterwards, raised or as high before; `null` when there is none. */
async function raise(
  table: Table,
  { key, logShards }: { key: Item; logShards: number },
): Promise<Item | null> {
  return updateIf(table, {
    Key: key,
    UpdateExpression: 'SET log_shards = :shards',
    ConditionExpression:
      'attribute_exists(pk) AND (attribute_not_exists(log_shards) OR log_shards < :shards)',
    ExpressionAttributeValues: { ':shards': logShards },
  });
}

/** Sets the time only where there is none, so that of two revocations the first one counts. */
async function markRevoked(table: Table, { key, revokedAt }: Revocation): Promise<Item | null> {
  return updateIf(table, {
    Key: key,
    UpdateExpression: 'SET revoked_at = :revoked_at',
    ConditionExpression: 'revoked_at = :none',
    ExpressionAttributeValues: { ':revoked_at': revokedAt, ':none': null },
  });
}

/** The record afterwards, changed or, where the condition does not hold, as it is; `null` when there is none. */
async function updateIf(
  table: Table,
  update: Omit<UpdateCommandInput, 'TableName'> & { Key: Item },
): Promise<Item | null> {
  try {
    const { Attributes } = await table.client.send(
      new UpdateCommand({ TableName: table.tableName, ReturnValues: 'ALL_NEW', ...update }),
    );
    return Attributes ?? null;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return find(table, update.Key);
  }
}

function asOrganization(item: Item): Organization {
  const { id, name, created_at } = item;
  return { id, name, created_at, log_shards: logShardsIn(item) } as Organization;
}

/** Records of before there were shards name no number. */
function logShardsIn({ log_shards }: Item): number {
  return typeof log_shards === 'number' ? log_shards : 1;
}

function asApiKey(item: Item): ApiKey {
  const { id, organization_id, name, last_four, created_at, expires_at, revoked_at } = item;
  const log_shards = logShardsIn(item);
  return { id, organization_id, name, last_four, created_at, expires_at, revoked_at, log_shards } as ApiKey;
}

function byCreation(one: { id: string; created_at: string }, other: typeof one): number {
  return compare(one.created_at, other.created_at) || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
