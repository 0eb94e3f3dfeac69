/** A table of cost rollups alone, as the stack defines it. */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import type { EmbeddedDynamoDB } from './embedded-dynamodb.ts';

export async function createRollupsTable({
  client,
  documentClient,
}: EmbeddedDynamoDB): Promise<CostRollupsTable> {
  const tableName = `CostRollups-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  return { client: documentClient, tableName };
}
