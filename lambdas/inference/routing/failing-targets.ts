/**
 * The targets that have failed a moment ago, as far as this environment of the function knows: they are skipped for a while, so
 * that an outage costs few requests an attempt. Then one request tries the target again while others go on skipping it.
 */
import { secondMs } from '#lambdas/platform/duration.ts';
import { setAsNewest } from '#lambdas/platform/ttl-cache.ts';

export interface FailingTargets {
  isFailing(model: string, nowMs: number): boolean;
  /** Call this when a request is sent to the target, which keeps others away from one that has failed. */
  tried(model: string, nowMs: number): void;
  /** `retryAfterMs` as the provider has asked for; `null` if it has not. */
  failed(model: string, nowMs: number, retryAfterMs: number | null): void;
  succeeded(model: string): void;
}

/** The first pause; it doubles with each failure after it. */
const firstPauseMs = 5 * secondMs;
const maxPauseMs = 60 * secondMs;

/** A request that tries the target again keeps the others away for at most this long: it may never end. */
const trialMs = 30 * secondMs;

const maxTargets = 1000;

interface Failure {
  /** The consecutive failures. */
  count: number;
  untilMs: number;
}

export function createFailingTargets(): FailingTargets {
  const failures = new Map<string, Failure>();
  return {
    isFailing: (model, nowMs) => nowMs < (failures.get(model)?.untilMs ?? 0),
    tried(model, nowMs) {
      const failure = failures.get(model);
      if (failure !== undefined) failure.untilMs = Math.max(failure.untilMs, nowMs + trialMs);
    },
    failed(model, nowMs, retryAfterMs) {
      const count = (failures.get(model)?.count ?? 0) + 1;
      const pauseMs = Math.min(maxPauseMs, retryAfterMs ?? firstPauseMs * 2 ** Math.min(count - 1, 10));
      setAsNewest(failures, model, { count, untilMs: nowMs + pauseMs }, maxTargets);
    },
    succeeded(model) {
      failures.delete(model);
    },
  };
}
