/**
 * The paths that are recognized in every cold start. `routes.ts` has the others: it is loaded for requests that call no operation.
 */
import type { OperationName } from '#lambdas/request-log/operation.ts';

export const operationPaths = {
  'chat.completions': '/ai/chat/completions',
  embeddings: '/ai/embeddings',
  messages: '/ai/messages',
  responses: '/ai/responses',
} as const satisfies Partial<Record<OperationName, string>>;

export const countTokensPath = `${operationPaths.messages}/count_tokens`;

/** Without the version, which many clients append to a base URL, and a trailing slash. */
export function canonicalPath(path: string): string {
  const unversioned = path.startsWith('/ai/v1/') ? `/ai/${path.slice('/ai/v1/'.length)}` : path;
  return unversioned.endsWith('/') ? unversioned.slice(0, -1) : unversioned;
}

/** The same path with the version. */
export function versioned(path: string): string {
  return path.replace(/^\/ai\//, '/ai/v1/');
}
