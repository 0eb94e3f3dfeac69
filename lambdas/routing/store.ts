import { type DirectoryTable, findRecord } from '#lambdas/access/directory-table.ts';
import { type RoutesItem, routesKey, toRoutesItem } from './item.ts';
import type { RouteOwner } from './route.ts';

/** Strongly consistent. */
export async function findRoutes(table: DirectoryTable, owner: RouteOwner): Promise<RoutesItem> {
  return toRoutesItem(await findRecord(table, routesKey(owner)));
}
