/** Implements `TableCalls` with DynamoDB's JSON protocol, for the chat path. */
import { ServiceError } from '../aws/errors.ts';
import type { JsonService, Retries } from '../aws/json-client.ts';
import { isJsonObject, type JsonObject, objectOrEmpty } from '../json/json.ts';
import { attributesJson, fromAttributes } from './attributes.ts';
import { ConditionFailedError, type TableCalls, type WriteCondition } from './table.ts';

export function createJsonTableCalls(dynamodb: JsonService): TableCalls {
  return {
    async get(tableName, key, timeoutMs) {
      const table = JSON.stringify(tableName);
      const input = `{"TableName":${table},"Key":${attributesJson(key)},"ConsistentRead":true}`;
      const { Item } = await dynamodb.call('GetItem', input, timeoutMs);
      return isJsonObject(Item) ? fromAttributes(Item) : null;
    },
    async put(tableName, item, { condition, timeoutMs }) {
      const table = JSON.stringify(tableName);
      const input = `{"TableName":${table},"Item":${attributesJson(item)},${conditionMembers(condition)}}`;
      await callIf(dynamodb, 'PutItem', input, timeoutMs);
    },
  };
}

/** Rejects with a `ConditionFailedError` when the condition is false. */
export async function callIf(
  dynamodb: JsonService,
  operation: string,
  input: string,
  timeoutMs: number,
  retries?: Retries,
): Promise<JsonObject> {
  try {
    return await dynamodb.call(operation, input, timeoutMs, retries);
  } catch (error) {
    throw isConditionFailure(error)
      ? new ConditionFailedError(fromAttributes(objectOrEmpty(error.body.Item)))
      : error;
  }
}

export function conditionMembers({
  ExpressionAttributeValues: values,
  ...condition
}: WriteCondition): string {
  const members = JSON.stringify({ ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }).slice(
    1,
    -1,
  );
  return values === undefined ? members : `${members},"ExpressionAttributeValues":${attributesJson(values)}`;
}

function isConditionFailure(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.name === 'ConditionalCheckFailedException';
}
