/** The routes of the inference function. A function URL forwards every path and method. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';

type Route =
  | { kind: 'operation'; path: string }
  | { kind: 'count_tokens'; path: string }
  /** An empty id means the list of all models. */
  | { kind: 'models'; path: string; id: string }
  | { kind: 'stream_test'; path: string }
  /** A part of OpenAI's API that the gateway does not serve. `rest` follows the path of responses; empty for a WebSocket. */
  | { kind: 'missing'; path: string; rest: string };

export const operationPaths = {
  'chat.completions': '/ai/chat/completions',
  embeddings: '/ai/embeddings',
  messages: '/ai/messages',
  responses: '/ai/responses',
} as const satisfies Partial<Record<OperationName, string>>;

export const countTokensPath = `${operationPaths.messages}/count_tokens`;
export const modelsPath = '/ai/models';
export const streamTestPath = '/ai/stream-test';

/** With and without what clients append to the address of the gateway. */
export const baseUrlPaths: readonly string[] = ['/', '/ai', '/ai/v1'];

/** Whether a client only checks that its base URL exists, which takes no key. */
export function isBaseUrlCheck({ path, method }: Pick<HttpRequest, 'path' | 'method'>): boolean {
  return method === 'HEAD' && baseUrlPaths.includes(canonicalPath(path) || '/');
}

/** The same path with the version that many clients append to a base URL. */
export function versioned(path: string): string {
  return path.replace(/^\/ai\//, '/ai/v1/');
}

/** `paths` are those of operations. Throws a `GatewayError` (404, 405) for any other path or method. */
export function findRoute(
  { path, method }: Pick<HttpRequest, 'path' | 'method'>,
  paths: readonly string[],
): Route {
  const canonical = canonicalPath(path);
  const { responses } = operationPaths;
  if (canonical === responses && method === 'GET') return { kind: 'missing', path: responses, rest: '' };
  if (paths.includes(canonical)) {
    requireMethod('POST', path, method);
    return { kind: 'operation', path: canonical };
  }
  if (canonical === countTokensPath) {
    requireMethod('POST', path, method);
    return { kind: 'count_tokens', path: countTokensPath };
  }
  if (canonical === modelsPath || canonical.startsWith(`${modelsPath}/`)) {
    requireMethod('GET', path, method);
    return { kind: 'models', path: modelsPath, id: canonical.slice(modelsPath.length + 1) };
  }
  if (canonical === streamTestPath) {
    requireMethod('GET', path, method);
    return { kind: 'stream_test', path: streamTestPath };
  }
  if (canonical.startsWith(`${responses}/`)) {
    return { kind: 'missing', path: responses, rest: canonical.slice(responses.length + 1) };
  }
  const known = [...[...paths, countTokensPath].map((name) => `POST ${name}`), `GET ${modelsPath}`].join(
    ', ',
  );
  throw new GatewayError('not_found', { message: `Unknown path: the gateway has ${known}` });
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
