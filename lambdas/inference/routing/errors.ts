import { GatewayError } from '#lambdas/platform/errors.ts';
import { routePrefix } from '#lambdas/routing/route.ts';
import type { UnsuitableTarget } from './candidates.ts';

export function unknownRouteError(name: string): GatewayError {
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `There is no route ${name}; GET /ai/models lists the routes and models`,
  });
}

/** At least one target. The only target of a route states its own error: the route is another name for it. */
export function noSuitableTargetError(name: string, unsuitable: readonly UnsuitableTarget[]): GatewayError {
  const [first, ...others] = unsuitable;
  if (first === undefined) throw new Error('A route has at least one target');
  if (others.length === 0) return first.error;
  const isUnpriced = unsuitable.every(({ error }) => error.code === 'model_not_priced');
  const [param = 'model', ...otherParams] = new Set(unsuitable.map(({ error }) => error.param ?? 'model'));
  const reasons = unsuitable.map(
    ({ skipped: { target }, error }) => `${target}: ${error.message.replace(/\.$/, '')}`,
  );
  return new GatewayError(isUnpriced ? 'model_not_priced' : 'no_suitable_target', {
    param: otherParams.length === 0 ? param : 'model',
    message: `No target of ${routePrefix}${name} can serve this request. ${reasons.join('. ')}`,
  });
}
