/** Reads routes from the dashboard and the command line. Requests read those that are stored, without checking them again. */
import { isDeepStrictEqual } from 'node:util';
import { type GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { isJsonObject, isNestedDeeperThan, type JsonObject } from '#lambdas/platform/json/json.ts';
import {
  type Route,
  type RouteTarget,
  routeBounds,
  routeNamePattern,
  routePrefix,
  routeStrategies,
} from './route.ts';

/** Throws a `GatewayError` (400). */
export function requireRouteName(name: string): void {
  if (routeNamePattern.test(name)) return;
  throw invalidRequestError(
    'name',
    'name must have 1 to 64 characters: a to z, 0 to 9, and, but not first, dots, hyphens and underscores',
  );
}

/**
 * Throws a `GatewayError` (400) that names the field, such as `targets[1].weight`, for anything but a route. `value` is parsed JSON.
 * Every field is kept as it is.
 */
export function readRoute(value: unknown): Route {
  const route = requireObject(value, 'route', ['strategy', 'targets', 'attempts']);
  const { strategy, targets, attempts } = route;
  if (!isStrategy(strategy)) {
    throw invalidRequestError('strategy', `strategy must be one of ${routeStrategies.join(', ')}`);
  }
  const max = routeBounds.attempts;
  if (attempts !== undefined && !isWholeNumber(attempts, max)) {
    throw invalidRequestError('attempts', `attempts must be a whole number from 1 to ${max}`);
  }
  return {
    strategy,
    targets: readTargets(targets, strategy),
    ...(attempts !== undefined && { attempts }),
  };
}

function requireObject(value: unknown, path: string, names: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw invalidRequestError(path, `${path} must be a JSON object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value;
  const param = path === 'route' ? unknown : `${path}.${unknown}`;
  throw invalidRequestError(param, `${param} is not a field of a route: use ${names.join(', ')}`);
}

function isStrategy(value: unknown): value is Route['strategy'] {
  return routeStrategies.some((strategy) => strategy === value);
}

function isWholeNumber(value: unknown, max: number): value is number {
  return Number.isInteger(value) && isNumberWithin(value, { min: 1, max });
}

function isNumberWithin(value: unknown, { min, max }: { min: number; max: number }): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function readTargets(value: unknown, strategy: Route['strategy']): Route['targets'] {
  const max = routeBounds.targets;
  if (!Array.isArray(value) || value.length > max) throw targetsError();
  const [first, ...others] = value.map((target: unknown, index) =>
    readTarget(target, `targets[${index}]`, strategy),
  );
  if (first === undefined) throw targetsError();
  const targets = [first, ...others] as const;
  for (const [index, target] of targets.entries()) requireDifferent(targets, target, index);
  if (targets.every(({ weight }) => weight === 0)) {
    throw invalidRequestError('targets', 'targets must have one with a weight of more than 0');
  }
  return targets;
}

function targetsError(): GatewayError {
  return invalidRequestError('targets', `targets must be a list of 1 to ${routeBounds.targets} targets`);
}

function requireDifferent(targets: readonly RouteTarget[], target: RouteTarget, index: number): void {
  const same = targets.findIndex((other) => isDeepStrictEqual(requestOf(other), requestOf(target)));
  if (same === index) return;
  throw invalidRequestError(
    `targets[${index}]`,
    `targets[${index}] has the same model and parameters as targets[${same}]: each target must differ`,
  );
}

function requestOf({ model, parameters = {} }: RouteTarget) {
  return { model, parameters };
}

function readTarget(value: unknown, path: string, strategy: Route['strategy']): RouteTarget {
  const target = requireObject(value, path, ['model', 'weight', 'parameters', 'first_event_seconds']);
  const { model, weight, parameters, first_event_seconds } = target;
  const { firstEventSeconds } = routeBounds;
  if (first_event_seconds !== undefined && !isNumberWithin(first_event_seconds, firstEventSeconds)) {
    throw invalidRequestError(
      `${path}.first_event_seconds`,
      `${path}.first_event_seconds must be a number from ${firstEventSeconds.min} to ${firstEventSeconds.max}`,
    );
  }
  return {
    model: readModel(model, `${path}.model`),
    ...(weight !== undefined && { weight: readWeight(weight, `${path}.weight`, strategy) }),
    ...(parameters !== undefined && { parameters: readParameters(parameters, `${path}.parameters`) }),
    ...(first_event_seconds !== undefined && { first_event_seconds }),
  };
}

const maxModelLength = 256;
const modelPattern = /^[^/\p{Cc}\p{Cs}]+\/[^\p{Cc}\p{Cs}]+$/u;

function readModel(value: unknown, param: string): string {
  if (typeof value !== 'string' || value.length > maxModelLength || !modelPattern.test(value)) {
    throw invalidRequestError(
      param,
      `${param} must have the form <provider>/<model>, with at most ${maxModelLength} characters`,
    );
  }
  if (!value.startsWith(routePrefix)) return value;
  throw invalidRequestError(param, `${param} must not be a route: name the models that it leads to instead`);
}

/** A smaller share than this is none. */
const minWeight = 0.001;

function readWeight(value: unknown, param: string, strategy: Route['strategy']): number {
  if (strategy !== 'weight') {
    throw invalidRequestError(param, `${param} has a meaning only with the strategy weight: leave it out`);
  }
  const max = routeBounds.weight;
  if (value === 0 || isNumberWithin(value, { min: minWeight, max })) return value;
  throw invalidRequestError(param, `${param} must be 0, or a number from ${minWeight} to ${max}`);
}

/** The fields of requests that no target may replace: those that are the caller's own, or that the gateway sets or depends on. */
const fixedParameters = [
  'model',
  'stream',
  'stream_options',
  'messages',
  'input',
  'prompt',
  'system',
  'instructions',
  'tools',
  'functions',
  'n',
  'store',
  'previous_response_id',
  'conversation',
  'metadata',
];

/** The body of a request, of which they become a part, may have 100 levels. */
const maxParameterNesting = 50;

function readParameters(value: unknown, param: string): JsonObject {
  if (!isJsonObject(value)) throw invalidRequestError(param, `${param} must be a JSON object`);
  const fixed = fixedParameters.find((name) => Object.hasOwn(value, name));
  if (fixed !== undefined) {
    throw invalidRequestError(param, `${param} must not have ${fixed}, which the request alone decides`);
  }
  if (isNestedDeeperThan(maxParameterNesting, value)) {
    throw invalidRequestError(param, `${param} must not be nested deeper than ${maxParameterNesting} levels`);
  }
  const max = routeBounds.parameterBytes;
  if (Buffer.byteLength(JSON.stringify(value)) <= max) return value;
  throw invalidRequestError(param, `${param} must have at most ${max} bytes as JSON`);
}
