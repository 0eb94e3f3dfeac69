import type { StoredRoute } from '#lambdas/routing/item.ts';
import { defaultAttempts } from '#lambdas/routing/route.ts';
import type { RouteSummary } from './organizations/responses.ts';

interface SummarizedRoute extends Pick<RouteSummary, 'name' | 'owner'> {
  route: StoredRoute;
  /** Whether a route of the organization replaces it. */
  isOverridden: boolean;
}

export function summarizeRoute({ name, owner, route, isOverridden }: SummarizedRoute): RouteSummary {
  const { strategy, targets, attempts = defaultAttempts, changed_at } = route;
  return {
    name,
    owner,
    overridden: isOverridden,
    strategy,
    targets: [...targets],
    attempts,
    changed_at,
  };
}
