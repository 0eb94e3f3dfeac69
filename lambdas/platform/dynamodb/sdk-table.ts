/** DynamoDB through the AWS SDK, for code that loads the SDK anyway. */
import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { fromAttributes, readNumber } from './attributes.ts';
import { ConditionFailedError, type TableCalls } from './table.ts';

/** The SDK's limit for each client. Further calls wait for one of the connections. */
export const maxConnections = 50;

export function createSdkTableCalls(client: DynamoDBDocumentClient): TableCalls {
  return {
    async get(TableName, Key, timeoutMs) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key, ConsistentRead: true }),
        timeoutMs === undefined ? {} : { abortSignal: AbortSignal.timeout(timeoutMs) },
      );
      return Item ?? null;
    },
    async put(TableName, Item, { condition, timeoutMs }) {
      const ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
      const put = new PutCommand({ TableName, Item, ...condition, ReturnValuesOnConditionCheckFailure });
      try {
        await client.send(put, { abortSignal: AbortSignal.timeout(Math.max(0, timeoutMs)) });
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        throw new ConditionFailedError(fromAttributes({ ...error.Item }));
      }
    },
  };
}

/** Errors of its calls have the call's name, like a `ServiceError`. */
export function createDocumentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          const call = `dynamodb.${commandName.replace(/Command$/, '')}`;
          throw error instanceof Error ? Object.assign(error, { call }) : error;
        }
      },
    { step: 'initialize', name: 'nameCall', override: true },
  );
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: readNumber },
  });
}
