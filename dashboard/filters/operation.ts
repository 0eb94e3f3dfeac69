/** The operations of the gateway in words. */
import type { OperationName } from '#lambdas/request-log/operation.ts';

export const operationTitles: Record<OperationName, string> = {
  'chat.completions': 'Chat completions',
  embeddings: 'Embeddings',
  messages: 'Messages',
  responses: 'Responses',
};
