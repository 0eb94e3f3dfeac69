/** One attempt of a request to a route: finds the target that takes over if it fails, and remembers whether its target works. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Fallback } from '../exchange/fallback.ts';
import { retryAfterMsOf } from '../providers/http/headers.ts';
import { createByteAccumulator } from '../providers/http/sse.ts';
import type { Candidate, Candidates, NextAttempt } from './candidates.ts';
import type { RouteDependencies } from './dependencies.ts';
import type { FailingTargets } from './failing-targets.ts';
import { type FallbackCause, fallbackCauseOf } from './fallback-cause.ts';
import { emptyResponseError, hasContent } from './response-content.ts';

interface RouteAttempt {
  fallback: Fallback;
  /** Whether another target can take over. */
  hasOthers: boolean;
  /** Call this when the attempt has ended. Returns the target that takes over; `null` if the attempt is the last one. */
  end(): Candidate | null;
}

interface AttemptOptions {
  /** The exchange of the request, in which no attempt is recorded. */
  request: Readonly<Exchange>;
  current: Candidate;
  candidates: Candidates;
  maxAttempts: number;
  failing: FailingTargets;
}

/** An attempt is not begun later before the deadline of the response. */
const minAttemptMs = 1000;

export function createRouteAttempt(
  { log, now, limits }: Pick<RouteDependencies, 'log' | 'now' | 'limits'>,
  { request, current, candidates, maxAttempts, failing }: AttemptOptions,
): RouteAttempt {
  const { target, exchange, ready } = current;
  const attempt = exchange.routed?.attempt ?? 1;
  const hasOthers = attempt < maxAttempts && !candidates.isEmpty;
  const isAlias = attempt === 1 && candidates.isEmpty && candidates.unsuitable.length === 0;
  const startedAtMs = now().getTime();
  const held = createByteAccumulator();
  let isHolding = hasOthers;
  let eventTimer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let checking: Promise<void> | undefined;
  let next: Candidate | null = null;
  let cause: FallbackCause | null | undefined;
  let isLast = false;
  const fields = {
    log_id: request.id,
    organization_id: request.apiKey.organization_id,
    route: exchange.routed?.route,
    target: target.model,
    attempt,
  };

  const noteFailure = (error: GatewayError, status: number | null): FallbackCause | null => {
    if (cause !== undefined) return cause;
    cause = fallbackCauseOf(error, status);
    if (cause?.isFailing) failing.failed(target.model, now().getTime(), retryAfterMsOf(error.headers));
    if (cause?.isMisconfigured) {
      log.error('target_misconfigured', { ...fields, error_code: error.code }, { MisconfiguredTargets: 1 });
    }
    return cause;
  };

  const startExchange: NextAttempt['startExchange'] = (skipped_targets) => {
    const { rateLimitHeaders, routed, waitedMs, forwardedAtMs } = exchange;
    const nowMs = now().getTime();
    return {
      ...request,
      rateLimitHeaders,
      routed: routed && { ...routed, attempt: attempt + 1, skipped_targets },
      waitedMs: waitedMs + Math.max(0, nowMs - (forwardedAtMs ?? nowMs)),
    };
  };

  const findNext = async (failure: FallbackCause): Promise<Candidate | null> => {
    await checking;
    const { routed } = exchange;
    const isLate = now().getTime() + minAttemptMs > request.deadlineMs;
    if (routed === null || isLate || request.response.clientDisconnected) return null;
    const contextBeyond = failure.isContextTooSmall ? ready.resolved : null;
    const found = hasOthers ? await candidates.next({ startExchange, isFirst: false, contextBeyond }) : null;
    if (found?.kind === 'ready') return found;
    if (found === null) {
      isLast = !failure.isContextTooSmall;
      routed.skipped_targets = candidates.skipped();
    } else if (!(found.error instanceof GatewayError)) logUnexpected(found.error);
    return null;
  };

  const stopWaiting = () => {
    isWaiting = false;
    clearTimeout(eventTimer);
  };

  return {
    hasOthers,
    fallback: {
      onCall(watch) {
        stopWaiting();
        const { first_event_seconds: ownSeconds } = target;
        const waitMs = ownSeconds === undefined ? limits.firstEventMs : ownSeconds * 1000;
        if (!ready.parsed.stream || (ownSeconds === undefined && !hasOthers)) return;
        isWaiting = true;
        // A response that no other target can replace is waited for longer, unless the route says otherwise.
        const expire = async () => {
          if (ownSeconds === undefined && !(await candidates.hasSuitable({ startExchange }))) return;
          if (isWaiting) watch.expire(`The provider sent no event for ${waitMs / 1000} seconds`);
        };
        const onTime = () => {
          checking = expire();
        };
        eventTimer = setTimeout(onTime, startedAtMs + waitMs - now().getTime());
      },
      hold(events, read) {
        stopWaiting();
        if (!isHolding) return events;
        held.add(events);
        if (!hasContent({ ...read, size: held.length })) return null;
        isHolding = false;
        return held.take();
      },
      release: () => held.take(),
      async takeOver(error, read, status = null) {
        stopWaiting();
        const empty = hasOthers && read !== null ? { ...read, size: Math.max(read.size, held.length) } : null;
        const failure = error ?? (empty && emptyResponseError(empty));
        const failed = failure && noteFailure(failure, status);
        next = failed && (await findNext(failed));
        return next && failure;
      },
    },
    end() {
      stopWaiting();
      if (next !== null) return next;
      const { error } = exchange;
      if (!request.response.clientDisconnected) {
        if (error === null) failing.succeeded(target.model);
        // A failure after the first content is known only now.
        else noteFailure(error, null);
      }
      if (isLast && !isAlias) {
        log.error('no_target_left', { ...fields, error_code: error?.code }, { RequestsWithoutTarget: 1 });
      }
      return null;
    },
  };
}
