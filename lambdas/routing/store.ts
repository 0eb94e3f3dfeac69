import { type DirectoryTable, findRecord } from '#lambdas/access/directory-table.ts';
import { type RoutesItem, routesKey, toRoutesItem } from './item.ts';
import type { RouteOwner } from './route.ts';

/** Strongly consistent. */
export async function findRoutes(table: DirectoryTable, owner: RouteOwner): Promise<RoutesItem> {
  return toRoutesItem(await findRecord(table, routesKey(owner)));
}

interface UsableRoutes {
  own: RoutesItem['routes'];
  operators: RoutesItem['routes'];
}

/** The routes that an organization can use; one of its own replaces the operator's of the same name. */
export async function findUsableRoutes(table: DirectoryTable, organizationId: string): Promise<UsableRoutes> {
  const [own, operators] = await Promise.all([findRoutes(table, organizationId), findRoutes(table, null)]);
  return { own: own.routes, operators: operators.routes };
}
