/** The routes of the chat function. A function URL forwards every path and method. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';

type Route =
  | { kind: 'chat' }
  /** An empty id means the list of all models. */
  | { kind: 'models'; id: string }
  | { kind: 'stream_test' };

export const chatPath = '/ai/chat/completions';
export const modelsPath = '/ai/models';
export const streamTestPath = '/ai/stream-test';

/** The same path with the version that many clients append to a base URL. */
export function versioned(path: string): string {
  return path.replace(/^\/ai\//, '/ai/v1/');
}

/** Throws a `GatewayError` (404, 405) for any other path or method. */
export function findRoute({ path, method }: Pick<HttpRequest, 'path' | 'method'>): Route {
  const canonical = canonicalPath(path);
  if (canonical === chatPath) {
    requireMethod('POST', path, method);
    return { kind: 'chat' };
  }
  if (canonical === modelsPath || canonical.startsWith(`${modelsPath}/`)) {
    requireMethod('GET', path, method);
    return { kind: 'models', id: canonical.slice(modelsPath.length + 1) };
  }
  if (canonical === streamTestPath) {
    requireMethod('GET', path, method);
    return { kind: 'stream_test' };
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
