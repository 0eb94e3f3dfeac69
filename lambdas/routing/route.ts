/**
 * A route: a name that an organization, or the operator for all organizations, gives to a list of targets. Requests use it as the
 * model `route/<name>`.
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** The part of a requested model that stands for a provider's name, which no provider can have. */
export const routeProvider = 'route';
export const routePrefix = `${routeProvider}/`;

/**
 * How the first target is chosen: the first of the list, one at random by the weights, or the one at which the request probably
 * costs least. The others follow in the order of the list, or of their prices.
 */
export const routeStrategies = ['order', 'weight', 'price'] as const;
export type RouteStrategy = (typeof routeStrategies)[number];

export interface RouteTarget {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** Its share of the requests, for the strategy `weight` alone: 0 only follows on others. Default: 1. */
  readonly weight?: number;
  /** Replace the fields of these names in the body of a request. */
  readonly parameters?: Readonly<JsonObject>;
  /**
   * The time until the first event of a stream, after which the next target is tried. Default: 30, unless no other target can serve
   * the request.
   */
  readonly first_event_seconds?: number;
}

export interface Route {
  readonly strategy: RouteStrategy;
  /** Each has another model or other parameters. */
  readonly targets: readonly [RouteTarget, ...RouteTarget[]];
  /** The most targets to which a request is sent. Default: 3. */
  readonly attempts?: number;
}

/** The routes of an organization, or of the operator, by their names. */
export type Routes = Readonly<Record<string, Route>>;

/** The owner of a route: the id of an organization; `null` for the operator, whose routes all organizations have. */
export type RouteOwner = string | null;

export const defaultAttempts = 3;
export const defaultFirstEventSeconds = 30;

/** Inclusive. */
export const routeBounds = {
  routes: 50,
  targets: 10,
  attempts: 10,
  weight: 1000,
  firstEventSeconds: { min: 0.1, max: 884 },
  /** The parameters of a target, as JSON. */
  parameterBytes: 2048,
  /** The size of all routes of an owner, as JSON: they are read together. */
  totalBytes: 100_000,
} as const;

export const routeNamePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
