/**
 * Serves a request to a route: sends it to one target after the other, until one begins to respond. Each attempt that another
 * target takes over has a log entry of its own, with what it costs.
 */
import type { RouteLookup } from '#lambdas/routing/lookup.ts';
import { defaultAttempts, routePrefix } from '#lambdas/routing/route.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { OperationRequest } from '../operation.ts';
import { type Candidate, type Candidates, createCandidates } from './candidates.ts';
import type { RouteDependencies } from './dependencies.ts';
import { noSuitableTargetError, unknownRouteError } from './errors.ts';
import { createFailingTargets, type FailingTargets } from './failing-targets.ts';
import { requireAllowedModel } from './model-access.ts';
import { probableCosts } from './probable-costs.ts';
import { createRouteAttempt } from './route-attempt.ts';
import { createSupersededAttempts } from './superseded-attempts.ts';
import { orderTargets } from './target-order.ts';

interface RoutingServices {
  routes: Pick<RouteLookup, 'find'>;
  random(): number;
}

interface RouteRequest {
  /** The body. */
  text: string;
  parsed: OperationRequest;
}

/** Records the last attempt in the exchange. Throws a `GatewayError` for a request that no target can serve. */
export type ServeRoute = (
  dependencies: RouteDependencies,
  exchange: Exchange,
  request: RouteRequest,
) => Promise<void>;

export function createServeRoute({ routes, random }: RoutingServices): ServeRoute {
  // Shared by the requests of this environment of the function.
  const failing = createFailingTargets();
  return async (dependencies, exchange, { text, parsed }) => {
    const { apiKey, metadata } = exchange;
    const name = parsed.model.slice(routePrefix.length);
    requireAllowedModel(apiKey, parsed.model);
    const route = await routes.find(apiKey.organization_id, name);
    if (route === null) throw unknownRouteError(name);
    const routed = { route: name, attempt: null, superseded_by: null, skipped_targets: null };
    exchange.routed = routed;
    const costsUsd =
      route.strategy === 'price' ? await probableCosts(dependencies, exchange, { text, parsed, route }) : [];
    const targets = orderTargets(route, { sessionId: metadata.session_id, costsUsd, random });
    const candidates = createCandidates({ dependencies, targets, route, text, failing });
    const first = await candidates.next({
      startExchange: (skipped_targets) => ({
        ...exchange,
        routed: { ...routed, attempt: 1, skipped_targets },
      }),
      isFirst: true,
      contextBeyond: null,
    });
    if (first === null) {
      exchange.routed = { ...routed, skipped_targets: candidates.skipped() };
      throw noSuitableTargetError(name, candidates.unsuitable);
    }
    if (first.kind === 'refused') {
      Object.assign(exchange, first.exchange, {
        routed: { ...routed, skipped_targets: candidates.skipped() },
      });
      throw first.error;
    }
    dependencies.steps.start(dependencies, first.exchange, first.ready);
    const maxAttempts = route.attempts ?? defaultAttempts;
    await sendToTargets(dependencies, exchange, { first, candidates, maxAttempts, failing });
  };
}

interface RouteAttempts {
  /** Started already. */
  first: Candidate;
  candidates: Candidates;
  maxAttempts: number;
  failing: FailingTargets;
}

async function sendToTargets(
  dependencies: RouteDependencies,
  request: Exchange,
  { first, candidates, maxAttempts, failing }: RouteAttempts,
): Promise<void> {
  const { steps } = dependencies;
  const superseded = createSupersededAttempts(dependencies);
  let current = first;
  let startedAtMs = request.receivedAtMs;
  const stream = steps.openStream(dependencies, current.exchange, (hasEvents) =>
    steps.responseHeaders(hasEvents ? current.exchange : withoutTarget(current.exchange)),
  );
  try {
    for (;;) {
      const { ready, exchange } = current;
      const options = { request, current, candidates, maxAttempts, failing };
      const { fallback, hasOthers, end } = createRouteAttempt(dependencies, options);
      // The next target is tried instead of the same one again.
      const limits = hasOthers ? { ...dependencies.limits, retries: 0 } : dependencies.limits;
      await steps.send({ ...dependencies, limits }, exchange, { ...ready, stream, fallback });
      const next = end();
      if (next === null) break;
      const line = await superseded.add(exchange, startedAtMs);
      startedAtMs = dependencies.now().getTime();
      steps.start(dependencies, next.exchange, next.ready, { attempt: line });
      superseded.record();
      current = next;
    }
  } finally {
    stream?.stop();
    Object.assign(request, current.exchange, { lease: superseded.joinLeases(current.exchange.lease) });
    await superseded.recorded();
  }
}

/** For the headers of a response that starts while it is not known which target responds. */
function withoutTarget(exchange: Exchange): Exchange {
  const unknown = { provider: null, routed: null, ignoredParameters: [], providerRequestId: null };
  return { ...exchange, ...unknown, providerHeaders: {} };
}
