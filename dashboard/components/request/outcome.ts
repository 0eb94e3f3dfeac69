/** The outcomes of requests in words. */
import type { LogEntry, Outcome } from '#lambdas/request-log/entry.ts';

export type OutcomeTone = 'success' | 'neutral' | 'warning' | 'danger';

interface OutcomeLook {
  title: string;
  /** Continues "The request …". */
  sentence: string;
  tone: OutcomeTone;
}

export const outcomeLooks: Record<Outcome, OutcomeLook> = {
  completed: { title: 'Completed', sentence: 'was completed', tone: 'success' },
  client_closed: {
    title: 'Closed by the client',
    sentence: 'was closed by the client before the response ended',
    tone: 'neutral',
  },
  provider_error: { title: 'Provider error', sentence: 'failed at the provider', tone: 'danger' },
  timeout: {
    title: 'Timeout',
    sentence: 'was ended because the provider did not respond in time',
    tone: 'danger',
  },
  rejected: {
    title: 'Rejected',
    sentence: 'was rejected by the gateway before a provider was called',
    tone: 'warning',
  },
  interrupted: {
    title: 'Interrupted',
    sentence: 'was interrupted: the gateway stopped before the response ended',
    tone: 'danger',
  },
};

/** Entries of refused requests may stand for several, which are alike. */
export function requestsOf({ refused_requests: count }: Pick<LogEntry, 'refused_requests'>): number {
  return count ?? 1;
}

/** Whether the entry is that of an attempt after which another target has served the request, which has an entry of its own. */
export function isAttempt({ superseded_by: requestId }: Pick<LogEntry, 'superseded_by'>): boolean {
  return requestId !== null;
}

export function countRequests(
  entries: readonly Pick<LogEntry, 'refused_requests' | 'superseded_by'>[],
): number {
  return entries.reduce((sum, entry) => sum + (isAttempt(entry) ? 0 : requestsOf(entry)), 0);
}

export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'string' && Object.hasOwn(outcomeLooks, value);
}
