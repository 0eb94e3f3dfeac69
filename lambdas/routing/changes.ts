/** Sets and removes routes: what the command line and the dashboard call. `lookup.ts` has the time after which requests use a change. */
import { checkItem, type DirectoryTable } from '#lambdas/access/directory-table.ts';
import { organizationKey } from '#lambdas/access/item-keys.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import { unchanged, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type RoutesItem, routeIn, routesAttributes, routesKey, type StoredRoute } from './item.ts';
import { requireRouteName } from './read-route.ts';
import { type Route, type RouteOwner, routeBounds } from './route.ts';
import { findRoutes } from './store.ts';

export interface RouteId {
  owner: RouteOwner;
  name: string;
}

/**
 * Resolves to the route as it is stored. One that stays the same has no audit record. Throws a `GatewayError`: 400 for an invalid
 * name, 404 without such an organization, 409 for too many routes.
 */
export async function setRoute(
  table: DirectoryTable,
  id: RouteId,
  route: Route,
  audit: AuditTrail,
): Promise<StoredRoute> {
  const { name } = id;
  requireRouteName(name);
  for (;;) {
    const item = await findRoutes(table, id.owner);
    const before = routeIn(item.routes, name);
    if (before !== null && isSame(before, route)) return before;
    const after = { ...route, changed_at: audit.now().toISOString() };
    const changed = { revision: item.revision + 1, routes: { ...item.routes, [name]: after } };
    requireRoom(changed);
    const event = routeEvent('route.set', id, {
      before: before && auditValues(before),
      after: auditValues(after),
    });
    if (await write(table, { event, id, read: item, changed }, audit)) return after;
  }
}

/** Resolves to the route as it was. Throws a `GatewayError` (404) without such a route or organization. */
export async function removeRoute(
  table: DirectoryTable,
  id: RouteId,
  audit: AuditTrail,
): Promise<StoredRoute> {
  for (;;) {
    const item = await findRoutes(table, id.owner);
    const before = routeIn(item.routes, id.name);
    if (before === null) throw new GatewayError('not_found', { message: 'There is no such route' });
    const { [id.name]: _, ...routes } = item.routes;
    const changed = { revision: item.revision + 1, routes };
    const event = routeEvent('route.removed', id, { before: auditValues(before), after: null });
    if (await write(table, { event, id, read: item, changed }, audit)) return before;
  }
}

/** The order of parameters counts: models write the fields of structured outputs in that of their schema. */
function isSame({ changed_at: _, ...before }: StoredRoute, { strategy, targets, attempts }: Route): boolean {
  return JSON.stringify(before) === JSON.stringify({ strategy, targets, attempts });
}

function requireRoom({ routes }: RoutesItem): void {
  const { routes: maxRoutes, totalBytes } = routeBounds;
  if (Object.keys(routes).length > maxRoutes) {
    throw new GatewayError('conflict', {
      message: `There can be at most ${maxRoutes} routes: remove one that is no longer used`,
    });
  }
  if (Buffer.byteLength(JSON.stringify(routes)) > totalBytes) {
    throw new GatewayError('conflict', {
      message: `All routes together can have at most ${totalBytes.toLocaleString('en')} bytes as JSON: shorten the parameters of targets, or remove a route`,
    });
  }
}

interface RoutesChange {
  event: AuditEvent;
  id: RouteId;
  read: RoutesItem;
  changed: RoutesItem;
}

/** Resolves to `false` if others have changed routes of the owner since they were read. */
async function write(
  table: DirectoryTable,
  { event, id: { owner }, read, changed }: RoutesChange,
  audit: AuditTrail,
): Promise<boolean> {
  const condition = unchanged({ revision: read.revision === 0 ? undefined : read.revision });
  const update = {
    TableName: table.tableName,
    Key: routesKey(owner),
    ...updateExpressions({ set: routesAttributes(changed) }, ...condition),
  };
  const items: TransactItem[] = [{ Update: update }];
  if (owner !== null) items.push(checkItem(table, organizationKey(owner), { deleted_at: undefined }));
  const failed = await audit.transact({ event, items });
  if (failed.includes(1)) {
    throw new GatewayError('not_found', { message: 'There is no such organization any more' });
  }
  return failed.length === 0;
}

function routeEvent(
  action: 'route.set' | 'route.removed',
  { owner, name }: RouteId,
  values: Pick<AuditEvent, 'before' | 'after'>,
): AuditEvent {
  return { action, organizationId: owner, target: { type: 'route', id: name, name }, ...values };
}

/** The parameters of targets are JSON text, for the same reasons as in the item. */
function auditValues({ strategy, targets, attempts }: Route): AuditValues {
  return {
    strategy,
    targets: targets.map(({ parameters, ...target }) => ({
      ...target,
      ...(parameters !== undefined && { parameters: JSON.stringify(parameters) }),
    })),
    ...(attempts !== undefined && { attempts }),
  };
}
