/**
 * Serves a request to a route: sends it to one target after the other, until one begins to respond. Each attempt that another
 * target takes over has a log entry of its own, with what it costs.
 */
import type { RouteLookup } from '#lambdas/routing/lookup.ts';
import {
  defaultAttempts,
  defaultFirstEventSeconds,
  type RouteTarget,
  routePrefix,
} from '#lambdas/routing/route.ts';
import { openStream, sendAttempt, startAttempt } from '../exchange/attempt.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ChatLimits } from '../exchange/limits.ts';
import { headersBeforeTarget, responseHeaders } from '../exchange/response-headers.ts';
import type { ServeDependencies } from '../exchange/serve.ts';
import type { OperationRequest } from '../operation.ts';
import { type Candidate, type Candidates, createCandidates } from './candidates.ts';
import { noSuitableTargetError, unknownRouteError } from './errors.ts';
import type { FailingTargets } from './failing-targets.ts';
import { requireAllowedModel } from './model-access.ts';
import { probableCosts } from './probable-costs.ts';
import { createRouteAttempt } from './route-attempt.ts';
import { createSupersededAttempts } from './superseded-attempts.ts';
import { orderTargets } from './target-order.ts';

interface RoutingServices {
  routes: RouteLookup;
  /** Of this environment of the function. */
  failing: FailingTargets;
  random(): number;
}

interface RouteRequest {
  /** The body. */
  text: string;
  parsed: OperationRequest;
}

/** Records the last attempt in the exchange. Throws a `GatewayError` for a request that no target can serve. */
export type ServeRoute = (
  dependencies: ServeDependencies,
  exchange: Exchange,
  request: RouteRequest,
) => Promise<void>;

export function createServeRoute({ routes, failing, random }: RoutingServices): ServeRoute {
  return async (dependencies, exchange, { text, parsed }) => {
    const { apiKey, metadata, receivedAtMs } = exchange;
    const name = parsed.model.slice(routePrefix.length);
    requireAllowedModel(apiKey, parsed.model);
    const route = await routes.find(apiKey.organization_id, name);
    if (route === null) throw unknownRouteError(name);
    const routed = {
      route: name,
      attempt: 1,
      skippedTargets: [],
      startedAtMs: receivedAtMs,
      earlierOverheadMs: 0,
    };
    exchange.routed = routed;
    const costsUsd =
      route.strategy === 'price' ? await probableCosts(dependencies, exchange, { text, parsed, route }) : [];
    const targets = orderTargets(route, { sessionId: metadata.session_id, costsUsd, random });
    const candidates = createCandidates({ dependencies, targets, route, text, failing });
    const first = await candidates.next({
      startExchange: (skippedTargets) => ({ ...exchange, routed: { ...routed, skippedTargets } }),
      isFirst: true,
      contextBeyond: null,
    });
    if (first === null) {
      exchange.routed = { ...routed, skippedTargets: candidates.unsuitable.map(({ skipped }) => skipped) };
      throw noSuitableTargetError(name, candidates.unsuitable);
    }
    if (first.kind === 'refused') {
      Object.assign(exchange, first.exchange);
      throw first.error;
    }
    startAttempt(dependencies, first.exchange, first.ready);
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
  dependencies: ServeDependencies,
  request: Exchange,
  { first, candidates, maxAttempts, failing }: RouteAttempts,
): Promise<void> {
  const superseded = createSupersededAttempts(dependencies);
  let current = first;
  const stream = openStream(dependencies, current.exchange, (hasEvents) =>
    hasEvents ? responseHeaders(current.exchange) : headersBeforeTarget(current.exchange),
  );
  try {
    for (;;) {
      const attempt = createRouteAttempt(dependencies, {
        request,
        current,
        candidates,
        maxAttempts,
        failing,
      });
      const limits = limitsOf(dependencies.limits, current.target, attempt.fallback !== null);
      const { ready, exchange } = current;
      await sendAttempt({ ...dependencies, limits }, exchange, {
        ...ready,
        stream,
        fallback: attempt.fallback,
      });
      const next = attempt.end();
      if (next === null) break;
      const line = await superseded.add(exchange);
      startAttempt(dependencies, next.exchange, next.ready, { attempt: line });
      superseded.record();
      current = next;
    }
  } finally {
    stream?.stop();
    Object.assign(request, current.exchange, { lease: superseded.joinLeases(current.exchange.lease) });
    await superseded.recorded();
  }
}

/** The next target is tried instead of the same one again. */
function limitsOf(limits: ChatLimits, target: RouteTarget, hasFallback: boolean): ChatLimits {
  const seconds = target.first_event_seconds ?? (hasFallback ? defaultFirstEventSeconds : undefined);
  return {
    ...limits,
    ...(hasFallback && { retries: 0 }),
    ...(seconds !== undefined && { firstEventMs: seconds * 1000 }),
  };
}
