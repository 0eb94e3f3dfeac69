/** The items of the Directory table with the routes: one for each owner, with all of its routes. */
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { Route, RouteOwner } from './route.ts';

/** As stored, with the time of the last change in RFC 3339. */
export interface StoredRoute extends Route {
  readonly changed_at: string;
}

export interface RoutesItem {
  /** Increases with each change. */
  revision: number;
  routes: Readonly<Record<string, StoredRoute>>;
}

const operatorPartition = '*';

export function routesKey(owner: RouteOwner) {
  return { pk: `routes#${owner ?? operatorPartition}`, sk: 'routes' };
}

export function toRoutesItem(item: Item | null): RoutesItem {
  const { revision = 0, routes = {} } = item ?? {};
  return { revision: Number(revision), routes: routes as RoutesItem['routes'] };
}
