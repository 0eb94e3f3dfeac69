/** The routes of the chat function. A function URL forwards every path and method. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Cors } from '#lambdas/platform/http/cors.ts';
import type { ErrorResponse } from '#lambdas/platform/http/error-response.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';

export type Route =
  | { kind: 'preflight'; response: ErrorResponse }
  | { kind: 'chat' }
  /** An empty id means the list of all models. */
  | { kind: 'models'; id: string };

export const chatPath = '/ai/chat/completions';
export const modelsPath = '/ai/models';

/** The same path with the version that many clients append to a base URL. */
export function versioned(path: string): string {
  return path.replace(/^\/ai\//, '/ai/v1/');
}

/** Throws a `GatewayError` (404, 405) for any other path or method. */
export function findRoute(request: Pick<HttpRequest, 'path' | 'method' | 'headers'>, cors: Cors): Route {
  const { path, method } = request;
  const canonical = canonicalPath(path);
  const isChat = canonical === chatPath;
  if (isChat || canonical === modelsPath || canonical.startsWith(`${modelsPath}/`)) {
    const preflight = cors.preflight(request);
    if (preflight !== null) return { kind: 'preflight', response: preflight };
    requireMethod(isChat ? 'POST' : 'GET', path, method);
    return isChat ? { kind: 'chat' } : { kind: 'models', id: canonical.slice(modelsPath.length + 1) };
  }
  throw new GatewayError('not_found', {
    message: `Unknown path: chat completions are at ${chatPath}, models at ${modelsPath}`,
  });
}

/** Without the version and a trailing slash. */
function canonicalPath(path: string): string {
  const unversioned = path.startsWith('/ai/v1/') ? `/ai/${path.slice('/ai/v1/'.length)}` : path;
  return unversioned.endsWith('/') ? unversioned.slice(0, -1) : unversioned;
}

function requireMethod(allowed: string, path: string, method: string): void {
  if (method === allowed) return;
  throw new GatewayError('method_not_allowed', {
    message: `${path} accepts ${allowed}, not ${method}`,
    headers: { allow: allowed },
  });
}
