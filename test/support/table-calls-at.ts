/** The calls of a table at some address, as the chat and recovery functions make them. */
import { createJsonService } from '../../lambdas/shared/aws/json-service.ts';
import { createJsonTableCalls } from '../../lambdas/shared/stores/json-table-calls.ts';
import type { TableCalls } from '../../lambdas/shared/stores/table-calls.ts';
import { accessTo } from './scripted-service.ts';

export function tableCallsAt(endpoint: string, now = () => new Date()): TableCalls {
  return createJsonTableCalls(createJsonService({ service: 'dynamodb', access: accessTo(endpoint), now }));
}
