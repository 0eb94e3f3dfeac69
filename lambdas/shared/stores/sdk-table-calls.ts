/** `TableCalls` over the AWS SDK's client, for those who have one anyway. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { fromAttributes } from './attribute-values.ts';
import { ItemInTheWay, type TableCalls } from './table-calls.ts';

export function createSdkTableCalls(client: DynamoDBDocumentClient): TableCalls {
  return {
    async get(TableName, Key) {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ?? null;
    },
    async put(TableName, Item, { condition, withinMs }) {
      const ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
      const put = new PutCommand({ TableName, Item, ...condition, ReturnValuesOnConditionCheckFailure });
      try {
        await client.send(put, { abortSignal: AbortSignal.timeout(Math.max(0, withinMs)) });
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        throw new ItemInTheWay(fromAttributes({ ...error.Item }));
      }
    },
  };
}
