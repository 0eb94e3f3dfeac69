/** Whether a request that was refused is sent again, and when: only where nobody can have been charged for it. */
import type { StreamedResponse } from '../shared/http/streamed-response.ts';
import { NotBegun } from '../shared/providers/http/connection-failure.ts';
import type { PreparedRequest, Refusal } from '../shared/providers/provider.ts';
import type { ChatLimits } from './limits.ts';
import type { LogDraft } from './log-draft.ts';

export interface Attempts {
  limits: ChatLimits;
  prepared: PreparedRequest;
  /** The same with the credential that has come since; `null` when there is none. */
  renew(): Promise<PreparedRequest | null>;
  response: StreamedResponse;
  draft: LogDraft;
  /** Until the answer must have begun. */
  leftMs(): number;
}

/** What to send after a refusal, once it is time; `null` when the refusal stands. */
export type NextAttempt = (refusal: Refusal) => Promise<PreparedRequest | null>;

export function createNextAttempt(attempts: Attempts): NextAttempt {
  const { limits, response, draft } = attempts;
  let { prepared } = attempts;
  let isRenewed = false;
  const isWorthIt = (waitMs: number) => !response.callerGone && waitMs < attempts.leftMs();
  return async (refusal) => {
    // A refused credential has cost nothing, so that the one after it is no retry.
    if (refusal.error.code === 'provider_authentication_failed' && !isRenewed) {
      isRenewed = true;
      const renewed = await attempts.renew();
      if (renewed === null || !isWorthIt(0)) return null;
      prepared = renewed;
      return prepared;
    }
    const waitMs = waitBeforeRetry(refusal, limits);
    if (waitMs === null || draft.retries >= limits.retries || !isWorthIt(waitMs)) return null;
    await pause(waitMs, response);
    if (response.callerGone) return null;
    draft.retries += 1;
    return prepared;
  };
}

/** `null` where a second request might be a second charge, or would come to nothing. */
function waitBeforeRetry({ error, retryAfterMs }: Refusal, limits: ChatLimits): number | null {
  if (error instanceof NotBegun) return error.waitMs;
  return retryAfterMs !== null && retryAfterMs <= limits.retryAfterMs ? retryAfterMs : null;
}

/** Ends early when the caller goes. */
function pause(milliseconds: number, response: StreamedResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.onCallerGone(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
