/** One attempt of a request to a route: finds the target that takes over if it fails, and remembers whether its target works. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Fallback } from '../exchange/fallback.ts';
import { overheadMs } from '../exchange/log-entry.ts';
import type { ServeDependencies } from '../exchange/serve.ts';
import { retryAfterMsOf } from '../providers/http/headers.ts';
import type { Candidate, Candidates } from './candidates.ts';
import type { FailingTargets } from './failing-targets.ts';
import { type FallbackCause, fallbackCauseOf } from './fallback-cause.ts';

interface RouteAttempt {
  /** `null` if no target can take over. */
  fallback: Fallback | null;
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
  { log, now }: Pick<ServeDependencies, 'log' | 'now'>,
  { request, current, candidates, maxAttempts, failing }: AttemptOptions,
): RouteAttempt {
  const { target, exchange, ready } = current;
  const { routed } = exchange;
  const attempt = routed?.attempt ?? 1;
  let next: Candidate | null = null;
  let cause: FallbackCause | null | undefined;
  const fields = {
    log_id: request.id,
    organization_id: request.apiKey.organization_id,
    route: routed?.route,
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

  const takesOver = async (error: GatewayError, status: number | null = null): Promise<boolean> => {
    if (next !== null) return true;
    const failure = noteFailure(error, status);
    const startedAtMs = now().getTime();
    const isLate = startedAtMs + minAttemptMs > request.deadlineMs;
    if (routed === null || failure === null || isLate || request.response.clientDisconnected) return false;
    const found = await candidates.next({
      startExchange: (skippedTargets) => ({
        ...request,
        rateLimitHeaders: exchange.rateLimitHeaders,
        routed: {
          ...routed,
          attempt: attempt + 1,
          skippedTargets,
          startedAtMs,
          earlierOverheadMs: overheadMs(exchange) ?? 0,
        },
      }),
      isFirst: false,
      contextBeyond: failure.isContextTooSmall ? ready.resolved : null,
    });
    if (found?.kind === 'refused') {
      if (!(found.error instanceof Error && 'code' in found.error)) logUnexpected(found.error);
      return false;
    }
    next = found;
    return next !== null;
  };

  return {
    fallback: attempt < maxAttempts && !candidates.isEmpty ? { takesOver } : null,
    end() {
      if (next !== null) return next;
      const { error, failedCall } = exchange;
      if (error === null) {
        failing.succeeded(target.model);
        return null;
      }
      const status = failedCall?.response.kind === 'failure' ? failedCall.response.status : null;
      if (noteFailure(error, status) !== null) {
        log.error('no_target_left', { ...fields, error_code: error.code }, { RequestsWithoutTarget: 1 });
      }
      return null;
    },
  };
}
