/** Finds the routes of requests. They are cached briefly, since each item has all routes of its owner. */
import type { TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { createTtlCache } from '#lambdas/platform/ttl-cache.ts';
import { routeInUse, routesKey, toRoutesItem } from './item.ts';
import type { Route, RouteOwner, Routes } from './route.ts';

export interface OwnedRoute {
  name: string;
  owner: 'organization' | 'operator';
  route: Route;
}

export interface RouteLookup {
  /** The organization's route, or else the operator's; `null` if neither has one of the name. */
  find(organizationId: string, name: string): Promise<Route | null>;
  /** By name; without those of the operator that the organization has replaced. */
  list(organizationId: string): Promise<OwnedRoute[]>;
}

interface RouteLookupOptions {
  calls: Pick<TableCalls, 'get'>;
  /** The Directory table. */
  tableName: string;
  now(): Date;
}

/** The time after which a change of a route is in effect, in addition to the duration of one read. */
export const routeDelayMs = 20_000;

const maxCachedOwners = 1000;

export function createRouteLookup({ calls, tableName, now }: RouteLookupOptions): RouteLookup {
  const cache = createTtlCache<Promise<Routes>>({ ttlMs: routeDelayMs, maxEntries: maxCachedOwners });
  const routesOf = (owner: RouteOwner): Promise<Routes> => {
    const atMs = now().getTime();
    const { pk } = routesKey(owner);
    const cached = cache.get(pk, atMs);
    if (cached !== undefined) return cached;
    const reading = calls.get(tableName, routesKey(owner)).then((item): Routes => toRoutesItem(item).routes);
    cache.set(pk, reading, atMs);
    // A failure is not cached.
    reading.catch(() => cache.delete(pk));
    return reading;
  };
  return {
    async find(organizationId, name) {
      const [own, operators] = await Promise.all([routesOf(organizationId), routesOf(null)]);
      return routeInUse(name, own, operators);
    },
    async list(organizationId) {
      const [own, operators] = await Promise.all([routesOf(organizationId), routesOf(null)]);
      return [
        ...Object.entries(own).map(([name, route]) => ({ name, owner: 'organization' as const, route })),
        ...Object.entries(operators)
          .filter(([name]) => !Object.hasOwn(own, name))
          .map(([name, route]) => ({ name, owner: 'operator' as const, route })),
      ].sort((left, right) => (left.name < right.name ? -1 : 1));
    },
  };
}
