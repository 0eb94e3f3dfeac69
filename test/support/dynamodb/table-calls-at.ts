import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import type { TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { awsAccessAt } from '../aws/scripted-service.ts';

export function tableCallsAt(endpoint: string, now = () => new Date()): TableCalls {
  return createJsonTableCalls(createJsonService({ service: 'dynamodb', access: awsAccessAt(endpoint), now }));
}
