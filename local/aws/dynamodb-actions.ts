/**
 * Which IAM permissions a DynamoDB request needs.
 *
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */

import { asList, isObject, type JsonObject } from '../untyped-json.ts';
import type { Grant } from './policies.ts';

export interface DynamoDbNames {
  /** `undefined` for a table that does not exist. */
  tableArn(tableName: string): string | undefined;
  /** The stream that an iterator, handed out earlier, reads. */
  streamOfIterator(iterator: string): string | undefined;
}

/** The operations whose resource is the table that they name. */
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

/** Of one request; `undefined` when the operation is not known here. */
export function requiredGrants(request: {
  operation: string;
  body: JsonObject;
  names: DynamoDbNames;
}): Grant[] | undefined {
  const { operation, body, names } = request;
  const action = `dynamodb:${operation}`;
  if (tableOperations.has(operation)) return [{ action, resource: tableResource(body.TableName, names) }];
  switch (operation) {
    case 'Query':
    case 'Scan':
      return [{ action, resource: indexResource(body, names) }];
    case 'BatchGetItem':
    case 'BatchWriteItem': {
      const tables = Object.keys(isObject(body.RequestItems) ? body.RequestItems : {});
      return tables.map((table) => ({ action, resource: tableResource(table, names) }));
    }
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return asList(body.TransactItems).flatMap((item) => transactionGrants(item, names));
    case 'ListTables':
    case 'ListStreams':
      return [{ action, resource: '*' }];
    case 'DescribeStream':
    case 'GetShardIterator':
      return [{ action, resource: String(body.StreamArn) }];
    case 'GetRecords': {
      const iterator = String(body.ShardIterator);
      return [{ action, resource: names.streamOfIterator(iterator) ?? 'an unknown stream' }];
    }
    default:
      return undefined;
  }
}

function transactionGrants(item: unknown, names: DynamoDbNames): Grant[] {
  return Object.entries(isObject(item) ? item : {}).map(([kind, part]) => ({
    action: transactionActions[kind] ?? `dynamodb:${kind}`,
    resource: tableResource(isObject(part) ? part.TableName : undefined, names),
  }));
}

/** Reading an index needs a permission on the index, and none on its table. */
function indexResource(body: JsonObject, names: DynamoDbNames): string {
  const table = tableResource(body.TableName, names);
  return body.IndexName === undefined ? table : `${table}/index/${body.IndexName}`;
}

/** A table is named by its name or its ARN. One that does not exist is still checked, under its would-be ARN. */
function tableResource(table: unknown, names: DynamoDbNames): string {
  const name = String(table);
  if (name.startsWith('arn:')) return name;
  return names.tableArn(name) ?? `arn:aws:dynamodb:::table/${name}`;
}
