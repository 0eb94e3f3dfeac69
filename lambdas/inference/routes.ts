/** The routes of the inference function besides its operations. A function URL forwards every path and method. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import { canonicalPath, countTokensPath, operationPaths } from './paths.ts';

export type Route =
  /** The check of a client that its base URL exists, which takes no key. */
  | { kind: 'base_url'; path: null }
  | { kind: 'count_tokens'; path: string }
  /** An empty id means the list of all models. */
  | { kind: 'models'; path: string; id: string }
  | { kind: 'stream_test'; path: string }
  /** A part of OpenAI's API that the gateway does not serve. `rest` follows the path of responses; empty for a WebSocket. */
  | { kind: 'missing'; path: string; rest: string };

export const modelsPath = '/ai/models';
export const streamTestPath = '/ai/stream-test';

/** With and without what clients append to the address of the gateway. */
export const baseUrlPaths: readonly string[] = ['/', '/ai', '/ai/v1'];

/**
 * Finds the route of a request that is no `POST` of an operation; `operations` are the paths of these. Throws a `GatewayError`
 * (404, 405) for any other path or method.
 */
export function findRoute(
  { path, method }: Pick<HttpRequest, 'path' | 'method'>,
  operations: readonly string[],
): Route {
  const canonical = canonicalPath(path);
  const { responses } = operationPaths;
  if (method === 'HEAD' && baseUrlPaths.includes(canonical || '/')) return { kind: 'base_url', path: null };
  if (canonical === responses && method === 'GET') return { kind: 'missing', path: responses, rest: '' };
  if (operations.includes(canonical)) throw methodError('POST', path, method);
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
  const known = [...[...operations, countTokensPath].map((name) => `POST ${name}`), `GET ${modelsPath}`].join(
    ', ',
  );
  throw new GatewayError('not_found', { message: `Unknown path: the gateway has ${known}` });
}

function requireMethod(allowed: string, path: string, method: string): void {
  if (method !== allowed) throw methodError(allowed, path, method);
}

function methodError(allowed: string, path: string, method: string): GatewayError {
  return new GatewayError('method_not_allowed', {
    message: `${path} accepts ${allowed}, not ${method}`,
    headers: { allow: allowed },
  });
}
