import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ScanCommand,
  type TableDescription,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { nullIfMissing } from '#cli/connection/aws-errors.ts';
import type { ResourceKind } from './kind.ts';

/** DynamoDB keeps a backup of a deleted table with point-in-time recovery for 35 days. */
export function createTableKind(config: DynamoDBClientConfig): ResourceKind {
  const client = new DynamoDBClient(config);

  async function describe(TableName: string): Promise<TableDescription | undefined> {
    const call = client.send(new DescribeTableCommand({ TableName }));
    return (await nullIfMissing(call, /^ResourceNotFoundException$/))?.Table;
  }

  return {
    name: 'table',
    async exists(TableName) {
      const table = await describe(TableName);
      return table !== undefined && table.TableStatus !== 'DELETING';
    },
    async findData(TableName) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({ TableName, Limit: 1, ConsistentRead: true }),
      );
      return Items.length > 0 || LastEvaluatedKey !== undefined ? 'has items' : null;
    },
    async remove(TableName) {
      if ((await describe(TableName))?.DeletionProtectionEnabled) {
        await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
        // A table that is being updated cannot be deleted.
        await waitUntilTableExists({ client, minDelay: 1, maxDelay: 5, maxWaitTime: 300 }, { TableName });
      }
      await client.send(new DeleteTableCommand({ TableName }));
    },
  };
}
