/** Creates the stack's tables under unique names. */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, type DynamoDBClient, type KeySchemaElement } from '@aws-sdk/client-dynamodb';

export interface TestTables {
  directory: string;
  logEntries: string;
  logEntriesStreamArn: string;
  costRollups: string;
  prices: string;
  budgetCounters: string;
  conversationState: string;
  auditTrail: string;
  accounts: string;
}

type Key = [hash: string, range?: string];

const logEntryIndexes: Record<string, Key> = Object.fromEntries(
  ['model', 'provider', 'prompt', 'session', 'user', 'status'].map((name) => [
    `by-${name}`,
    [`${name}_key`, 'id'],
  ]),
);

export async function createTables({ client }: { client: DynamoDBClient }): Promise<TestTables> {
  const directory = await createTable(client, 'Directory', { key: ['pk', 'sk'] });
  const { name: logEntries, streamArn } = await createTable(client, 'LogEntries', {
    key: ['organization_shard', 'id'],
    indexes: logEntryIndexes,
    streamed: true,
  });
  const costRollups = await createTable(client, 'CostRollups', { key: ['pk', 'sk'] });
  const prices = await createTable(client, 'Prices', { key: ['model', 'scope'] });
  const budgetCounters = await createTable(client, 'BudgetCounters', { key: ['counter_key'] });
  const conversationState = await createTable(client, 'ConversationState', { key: ['state_id'] });
  const auditTrail = await createTable(client, 'AuditTrail', { key: ['organization_id', 'id'] });
  const accounts = await createTable(client, 'Accounts', { key: ['pk', 'sk'] });
  if (streamArn === undefined) throw new Error('The table of log entries has no stream');
  return {
    directory: directory.name,
    logEntries,
    logEntriesStreamArn: streamArn,
    costRollups: costRollups.name,
    prices: prices.name,
    budgetCounters: budgetCounters.name,
    conversationState: conversationState.name,
    auditTrail: auditTrail.name,
    accounts: accounts.name,
  };
}

interface TableOptions {
  key: Key;
  indexes?: Record<string, Key>;
  streamed?: boolean;
}

export async function createTable(
  client: DynamoDBClient,
  prefix: string,
  { key, indexes = {}, streamed = false }: TableOptions,
): Promise<{ name: string; streamArn: string | undefined }> {
  const name = `${prefix}-${randomUUID()}`;
  const attributes = new Set([key, ...Object.values(indexes)].flat().filter((name) => name !== undefined));
  const globalIndexes = Object.entries(indexes).map(([IndexName, indexKey]) => ({
    IndexName,
    KeySchema: keySchema(indexKey),
    Projection: { ProjectionType: 'ALL' as const },
  }));
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keySchema(key),
      ...(globalIndexes.length > 0 && { GlobalSecondaryIndexes: globalIndexes }),
      ...(streamed && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
    }),
  );
  return { name, streamArn: TableDescription?.LatestStreamArn };
}

function keySchema([hash, range]: Key): KeySchemaElement[] {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' } as const]),
  ];
}
