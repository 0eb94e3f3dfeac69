/** Routes as text and JSON. */
import type { StoredRoute } from '#lambdas/routing/item.ts';
import { defaultAttempts, type RouteTarget, routePrefix } from '#lambdas/routing/route.ts';
import { textTable } from '../text-table.ts';

export interface RouteRow {
  name: string;
  /** `null` for a route of the operator. */
  organizationId: string | null;
  route: StoredRoute;
  /** Whether the organization that is listed has a route of this name, which replaces this one of the operator. */
  isOverridden: boolean;
}

export function routeTable(rows: readonly RouteRow[]): string {
  return textTable(
    ['ROUTE', 'OWNER', 'STRATEGY', 'ATTEMPTS', 'TARGETS', 'CHANGED'],
    rows.map(({ name, organizationId, route, isOverridden }) => [
      routePrefix + name,
      `${organizationId ?? 'operator'}${isOverridden ? ' (replaced)' : ''}`,
      route.strategy,
      String(route.attempts ?? defaultAttempts),
      route.targets.map(targetText).join(', '),
      route.changed_at,
    ]),
  );
}

/** Such as `openai/gpt-5.6 (weight 5, first event 10 s, {"temperature":0})`. */
function targetText({ model, weight, first_event_seconds, parameters }: RouteTarget): string {
  const details = [
    weight === undefined ? [] : `weight ${weight}`,
    first_event_seconds === undefined ? [] : `first event ${first_event_seconds} s`,
    parameters === undefined ? [] : JSON.stringify(parameters),
  ].flat();
  return details.length === 0 ? model : `${model} (${details.join(', ')})`;
}

export function routeJson({ name, organizationId, route, isOverridden }: RouteRow) {
  const { strategy, targets, attempts = defaultAttempts, changed_at } = route;
  return {
    name,
    organization_id: organizationId,
    overridden: isOverridden,
    strategy,
    targets,
    attempts,
    changed_at,
  };
}
