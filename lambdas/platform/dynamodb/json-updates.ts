/** Implements `TableUpdates` with DynamoDB's JSON protocol. Chat loads it only for keys with a hard budget. */
import type { JsonService } from '../aws/json-client.ts';
import { attributesJson } from './attributes.ts';
import { callIf, conditionMembers } from './json-table.ts';
import type { TableUpdates } from './table.ts';

export function createJsonTableUpdates(dynamodb: JsonService): TableUpdates {
  return {
    async update(tableName, key, { UpdateExpression, condition, timeoutMs, retries }) {
      const target = `"TableName":${JSON.stringify(tableName)},"Key":${attributesJson(key)}`;
      const expression = `"UpdateExpression":${JSON.stringify(UpdateExpression)}`;
      const input = `{${target},${expression},${conditionMembers(condition)}}`;
      await callIf(dynamodb, 'UpdateItem', input, timeoutMs, retries);
    },
  };
}
