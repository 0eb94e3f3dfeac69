/** `TableCalls` over DynamoDB's own JSON: those of a chat request. */
import type { JsonService } from '../aws/json-service.ts';
import { ServiceError } from '../aws/service-error.ts';
import { isJsonObject, objectOf } from '../domain/json.ts';
import { fromAttributes, toAttributes } from './attribute-values.ts';
import { ItemInTheWay, type PutCondition, type TableCalls } from './table-calls.ts';

export function createJsonTableCalls(dynamodb: JsonService): TableCalls {
  return {
    async get(tableName, key) {
      const input = { TableName: tableName, Key: toAttributes(key), ConsistentRead: true };
      const { Item } = await dynamodb.call('GetItem', input);
      return isJsonObject(Item) ? fromAttributes(Item) : null;
    },
    async put(tableName, item, { condition, withinMs }) {
      const input = {
        TableName: tableName,
        Item: toAttributes(item),
        ...inAttributes(condition),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      };
      try {
        await dynamodb.call('PutItem', input, withinMs);
      } catch (error) {
        throw isRefusedCondition(error)
          ? new ItemInTheWay(fromAttributes(objectOf(error.reason.Item)))
          : error;
      }
    },
  };
}

function inAttributes({ ExpressionAttributeValues: values, ...condition }: PutCondition) {
  return { ...condition, ...(values !== undefined && { ExpressionAttributeValues: toAttributes(values) }) };
}

function isRefusedCondition(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.name === 'ConditionalCheckFailedException';
}
