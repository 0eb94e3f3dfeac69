/** The order in which the targets of a route are tried for a request. */
import { createHash } from 'node:crypto';
import type { Route, RouteTarget } from '#lambdas/routing/route.ts';

interface OrderedRequest {
  /** Requests of the same session go to the same target by weight; a new choice for each request without one. */
  sessionId: string | null;
  /** The probable cost at each target, in their order; `null` without a price. Only for the strategy `price`. */
  costsUsd?: readonly (number | null)[];
  /** From 0 to below 1. */
  random(): number;
}

/** All targets, the first one to try first. */
export function orderTargets(
  { strategy, targets }: Pick<Route, 'strategy' | 'targets'>,
  request: OrderedRequest,
): RouteTarget[] {
  switch (strategy) {
    case 'order':
      return [...targets];
    case 'weight':
      return byWeight(targets, request);
    case 'price':
      return byPrice(targets, request.costsUsd ?? []);
    default:
      return strategy satisfies never;
  }
}

/**
 * Rendezvous hashing: each target gets a number between 0 and 1, and -ln(number) / weight is smallest with a probability in
 * proportion to the weight. The numbers of a session are hashes, so that it keeps its target as long as this is in the
 * route, also when others are added or removed.
 */
function byWeight(targets: readonly RouteTarget[], { sessionId, random }: OrderedRequest): RouteTarget[] {
  const [first] = targets
    .filter((target) => weightOf(target) > 0)
    .map((target) => {
      const number = sessionId === null ? random() : hashOf(sessionId, target);
      return { target, distance: -Math.log(1 - number) / weightOf(target) };
    })
    .sort((left, right) => left.distance - right.distance);
  if (first === undefined) return [...targets];
  return [first.target, ...targets.filter((target) => target !== first.target)];
}

export function weightOf({ weight = 1 }: RouteTarget): number {
  return weight;
}

/** A number from 0 to below 1. */
function hashOf(sessionId: string, { model, parameters = {} }: RouteTarget): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([sessionId, model, parameters]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** Targets without a price come last, equal ones in the order of the route. */
function byPrice(targets: readonly RouteTarget[], costsUsd: readonly (number | null)[]): RouteTarget[] {
  return targets
    .map((target, index) => ({ target, cost: costsUsd[index] ?? Number.POSITIVE_INFINITY }))
    .sort((left, right) => (left.cost === right.cost ? 0 : left.cost - right.cost))
    .map(({ target }) => target);
}
