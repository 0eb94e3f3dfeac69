import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import type { TableCalls, TableUpdates } from '#lambdas/platform/dynamodb/table.ts';
import { awsAccessAt } from '../aws/scripted-service.ts';

export function tableCallsAt(endpoint: string, now = () => new Date()): TableCalls & TableUpdates {
  const dynamodb = createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now });
  return { ...createJsonTableCalls(dynamodb), ...createJsonTableUpdates(dynamodb) };
}
