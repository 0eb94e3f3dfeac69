/** The routes of the chat function. A function URL forwards every path and method. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';

export type Route =
  | { kind: 'chat' }
  /** An empty id means the list of all models. */
  | { kind: 'models'; id: string };

export const chatPath = '/ai/chat/completions';
export const modelsPath = '/ai/models';

/** Throws a `GatewayError` (404, 405) for any other path or method. */
export function findRoute({ path, method }: Pick<HttpRequest, 'path' | 'method'>): Route {
  if (path === chatPath) {
    requireMethod('POST', path, method);
    return { kind: 'chat' };
  }
  if (path === modelsPath || /^\/ai\/models\/./.test(path)) {
    requireMethod('GET', path, method);
    return { kind: 'models', id: path.slice(modelsPath.length + 1) };
  }
  throw new GatewayError('not_found', {
    message: `Unknown path: chat completions are at ${chatPath}, models at ${modelsPath}`,
  });
}

function requireMethod(allowed: string, path: string, method: string): void {
  if (method === allowed) return;
  throw new GatewayError('method_not_allowed', {
    message: `${path} accepts ${allowed}, not ${method}`,
    headers: { allow: allowed },
  });
}
