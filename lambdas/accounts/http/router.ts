/** Finds the route of a request. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { DashboardRequest } from './request.ts';

export interface RoutePath {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters such as `{id}`, each of which is a whole part of the path. */
  path: string;
}

/** The values in the path by the name of their parameter. */
export type PathParameters = Readonly<Record<string, string>>;

interface RouteMatch<Route> {
  route: Route;
  parameters: PathParameters;
}

export const apiPath = '/dashboard/api';

/** Throws a `GatewayError` (404 or 405) when there is no such route. */
export function findRoute<Route extends RoutePath>(
  routes: readonly Route[],
  { method, path }: Pick<DashboardRequest, 'method' | 'path'>,
): RouteMatch<Route> {
  const atPath = routes.flatMap((route) => {
    const parameters = matchPath(route.path, path);
    return parameters === null ? [] : [{ route, parameters }];
  });
  const found = atPath.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  throw noRouteError(atPath.map(({ route }) => route.method));
}

/** No id is longer, and DynamoDB rejects empty keys and those over 2,048 bytes. */
export const idPattern = /^[\w-]{1,128}$/;

/** Ids in paths, and names of routes, which may have dots. */
const pathPartPattern = /^[\w-][\w.-]{0,127}$/;

/** Returns `null` if the path does not match. */
function matchPath(pattern: string, path: string): PathParameters | null {
  const expected = pattern.split('/');
  const parts = path.split('/');
  if (parts.length !== expected.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(expected[index] ?? '')?.[1];
    if (name === undefined ? part !== expected[index] : !pathPartPattern.test(part)) return null;
    if (name !== undefined) parameters[name] = part;
  }
  return parameters;
}

function noRouteError(methods: readonly string[]): GatewayError {
  if (methods.length === 0) return new GatewayError('not_found', { message: 'There is no such path' });
  return new GatewayError('method_not_allowed', {
    message: `This path supports only ${methods.join(', ')}`,
    headers: { allow: methods.join(', ') },
  });
}
