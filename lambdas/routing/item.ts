/** The items of the Directory table with the routes: one for each owner, with all of its routes. */
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { Route, RouteOwner } from './route.ts';

/** As stored, with the time of the last change in RFC 3339. */
export interface StoredRoute extends Route {
  readonly changed_at: string;
}

export interface RoutesItem {
  /** Increases with each change; 0 before the first one. */
  revision: number;
  /** By name. */
  routes: Readonly<Record<string, StoredRoute>>;
}

const operatorPartition = '*';

export function routesKey(owner: RouteOwner) {
  return { pk: `routes#${owner ?? operatorPartition}`, sk: 'routes' };
}

/** Each route is the text of its JSON: attributes would not keep the order of parameters, and not all numbers. */
export function routesAttributes({ revision, routes }: RoutesItem) {
  const texts = Object.entries(routes).map(([name, route]) => [name, JSON.stringify(route)] as const);
  return { revision, routes: Object.fromEntries(texts) };
}

export function toRoutesItem(item: Item | null): RoutesItem {
  const { revision = 0, routes = {} } = item ?? {};
  const texts = Object.entries(routes as Record<string, string>);
  return {
    revision: Number(revision),
    routes: Object.fromEntries(texts.map(([name, text]) => [name, JSON.parse(text) as StoredRoute])),
  };
}

/** The organization's route of the name, or else the operator's; `null` if neither has one. */
export function routeInUse<Known extends Route>(
  name: string,
  own: Readonly<Record<string, Known>>,
  operators: Readonly<Record<string, Known>>,
): Known | null {
  return routeIn(own, name) ?? routeIn(operators, name);
}

export function routeIn<Known extends Route>(
  routes: Readonly<Record<string, Known>>,
  name: string,
): Known | null {
  return Object.hasOwn(routes, name) ? (routes[name] ?? null) : null;
}
