/**
 * Determines the IAM permissions that a DynamoDB request requires.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */

import type { Grant } from '#local/permissions/policies.ts';
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';

interface ArnLookup {
  tableArn(tableName: string): string | undefined;
  streamArnOfIterator(iterator: string): string | undefined;
}

/** Operations whose resource is the table in `TableName`. */
const tableOperations = new Set([
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeContinuousBackups',
  'DescribeTable',
  'DescribeTimeToLive',
  'GetItem',
  'PutItem',
  'UpdateItem',
  'UpdateTable',
  'UpdateTimeToLive',
]);

const transactionActions: Record<string, string> = {
  ConditionCheck: 'dynamodb:ConditionCheckItem',
  Delete: 'dynamodb:DeleteItem',
  Get: 'dynamodb:GetItem',
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
};

export function requiredGrants(request: {
  operation: string;
  body: JsonObject;
  arns: ArnLookup;
}): Grant[] | undefined {
  const { operation, body, arns } = request;
  const action = `dynamodb:${operation}`;
  if (tableOperations.has(operation)) return [{ action, resource: tableResource(body.TableName, arns) }];
  switch (operation) {
    case 'Query':
    case 'Scan':
      return [{ action, resource: indexResource(body, arns) }];
    case 'BatchGetItem':
    case 'BatchWriteItem': {
      const tables = Object.keys(isObject(body.RequestItems) ? body.RequestItems : {});
      return tables.map((table) => ({ action, resource: tableResource(table, arns) }));
    }
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return asList(body.TransactItems).flatMap((item) => transactionGrants(item, arns));
    case 'ListTables':
    case 'ListStreams':
      return [{ action, resource: '*' }];
    case 'DescribeStream':
    case 'GetShardIterator':
      return [{ action, resource: String(body.StreamArn) }];
    case 'GetRecords': {
      const iterator = String(body.ShardIterator);
      return [{ action, resource: arns.streamArnOfIterator(iterator) ?? 'an unknown stream' }];
    }
    default:
      return undefined;
  }
}

function transactionGrants(item: unknown, arns: ArnLookup): Grant[] {
  return Object.entries(isObject(item) ? item : {}).map(([kind, part]) => ({
    action: transactionActions[kind] ?? `dynamodb:${kind}`,
    resource: tableResource(isObject(part) ? part.TableName : undefined, arns),
  }));
}

/** Reading an index requires permission on the index, not on its table. */
function indexResource(body: JsonObject, arns: ArnLookup): string {
  const table = tableResource(body.TableName, arns);
  return body.IndexName === undefined ? table : `${table}/index/${body.IndexName}`;
}

/** Accepts a table name or ARN. A table that does not exist is authorized too, with the ARN that it would have. */
function tableResource(table: unknown, arns: ArnLookup): string {
  const name = String(table);
  if (name.startsWith('arn:')) return name;
  return arns.tableArn(name) ?? `arn:aws:dynamodb:::table/${name}`;
}
