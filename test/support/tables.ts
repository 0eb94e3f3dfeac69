/** The stack's three tables, as the stack defines them, under names that no other test uses. */

import { randomUUID } from 'node:crypto';
import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
} from '@aws-sdk/client-dynamodb';

export interface TestTables {
  directory: string;
  logEntries: string;
  /** The ARN of the stream of `logEntries`. */
  logEntriesStreamArn: string;
  costRollups: string;
}

interface TableOptions {
  name: string;
  key: [hash: string, range: string];
  indexes?: Record<string, [hash: string, range: string]>;
  streamed?: boolean;
}

export async function createTables({ client }: { client: DynamoDBClient }): Promise<TestTables> {
  const run = randomUUID();
  const [directory, logEntries, costRollups] = [
    `Directory-${run}`,
    `LogEntries-${run}`,
    `CostRollups-${run}`,
  ];
  await client.send(
    tableCommand({
      name: directory,
      key: ['pk', 'sk'],
      indexes: { 'by-organization': ['organization_id', 'id'] },
    }),
  );
  const { TableDescription } = await client.send(
    tableCommand({
      name: logEntries,
      key: ['organization_shard', 'id'],
      indexes: {
        'by-model': ['model_key', 'id'],
        'by-provider': ['provider_key', 'id'],
        'by-prompt': ['prompt_key', 'id'],
        'by-session': ['session_key', 'id'],
        'by-user': ['user_key', 'id'],
        'by-status': ['status_key', 'id'],
      },
      streamed: true,
    }),
  );
  await client.send(tableCommand({ name: costRollups, key: ['pk', 'sk'] }));
  const logEntriesStreamArn = TableDescription?.LatestStreamArn;
  if (logEntriesStreamArn === undefined) throw new Error('The table of log entries has no stream');
  return { directory, logEntries, logEntriesStreamArn, costRollups };
}

function tableCommand({ name, key, indexes = {}, streamed = false }: TableOptions): CreateTableCommand {
  const input: CreateTableCommandInput = {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributeDefinitions([key, ...Object.values(indexes)]),
    KeySchema: keySchema(key),
  };
  if (Object.keys(indexes).length > 0) {
    input.GlobalSecondaryIndexes = Object.entries(indexes).map(
      ([indexName, indexKey]): GlobalSecondaryIndex => ({
        IndexName: indexName,
        KeySchema: keySchema(indexKey),
        Projection: { ProjectionType: 'ALL' },
      }),
    );
  }
  if (streamed) input.StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };
  return new CreateTableCommand(input);
}

function attributeDefinitions(keys: [string, string][]): AttributeDefinition[] {
  return [...new Set(keys.flat())].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
}

function keySchema([hash, range]: [string, string]): KeySchemaElement[] {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
}
