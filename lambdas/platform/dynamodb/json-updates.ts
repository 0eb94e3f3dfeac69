/** Implements `TableUpdates` with DynamoDB's JSON protocol. Chat loads it only for keys with a hard budget or rate limits. */
import { ServiceError } from '../aws/errors.ts';
import type { JsonService } from '../aws/json-client.ts';
import { objectOrEmpty } from '../json/json.ts';
import { attributesJson, fromAttributes } from './attributes.ts';
import { callIf, conditionMembers } from './json-table.ts';
import type { KeyedUpdate, TableUpdates } from './table.ts';

export function createJsonTableUpdates(dynamodb: JsonService): TableUpdates {
  return {
    async update(tableName, key, { timeoutMs, retries, returnsChanges = false, ...update }) {
      const returned = returnsChanges ? ',"ReturnValues":"UPDATED_NEW"' : '';
      const input = `{${updateMembers(tableName, { key, ...update })}${returned}}`;
      const output = await callIf(dynamodb, 'UpdateItem', input, timeoutMs, retries);
      return fromAttributes(objectOrEmpty(output.Attributes));
    },

    async updateTogether(tableName, updates, timeoutMs) {
      const items = updates.map((update) => `{"Update":{${updateMembers(tableName, update)}}}`);
      try {
        await dynamodb.call(
          'TransactWriteItems',
          `{"TransactItems":[${items.join()}]}`,
          timeoutMs,
          'throttled',
        );
        return true;
      } catch (error) {
        if (error instanceof ServiceError && error.name === 'TransactionCanceledException') return false;
        throw error;
      }
    },
  };
}

function updateMembers(tableName: string, { key, UpdateExpression, condition }: KeyedUpdate): string {
  const target = `"TableName":${JSON.stringify(tableName)},"Key":${attributesJson(key)}`;
  const expression = `"UpdateExpression":${JSON.stringify(UpdateExpression)}`;
  return `${target},${expression},${conditionMembers(condition)}`;
}
