/** The operations of the gateway in words. */
import type { OperationName } from '#lambdas/request-log/operation.ts';

export const operationTitles: Record<OperationName, string> = {
  'chat.completions': 'Chat completions',
  embeddings: 'Embeddings',
  messages: 'Messages',
  responses: 'Responses',
};

export function isOperation(value: unknown): value is OperationName {
  return typeof value === 'string' && Object.hasOwn(operationTitles, value);
}
