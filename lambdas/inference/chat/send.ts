/** Sends a request to its provider, and again where that is safe, in the time that all attempts share. */
import type { StreamedResponse } from '#lambdas/platform/http/streamed-response.ts';
import type { HttpTransport } from '../providers/http/client.ts';
import { createDeadlineWatch, type DeadlineWatch } from '../providers/http/deadlines.ts';
import { NotBegun } from '../providers/http/failures.ts';
import type { PreparedRequest, ProviderReply, Refusal } from '../providers/provider.ts';
import { type ChatLimits, shareRemainingTime } from './limits.ts';
import type { LogDraft } from './log-record.ts';
export interface SendServices {
  transport: HttpTransport;
  limits: ChatLimits;
  now(): Date;
}

export interface Sending extends Pick<Attempts, 'prepared' | 'renew' | 'response' | 'draft'> {
  /** What is left of the function's time. */
  remainingMs(): number;
}

export interface SentRequest {
  reply: ProviderReply;
  /** Of the reply; whoever is done with it stops it. */
  watch: DeadlineWatch;
}

/** Nothing has gone to the caller yet. Throws a `GatewayError` when the provider cannot be reached in time. */
export async function sendWithRetries(services: SendServices, sending: Sending): Promise<SentRequest> {
  const timeLeft = startTime(services, sending);
  const leftMs = () => {
    const { firstByteMs, totalMs } = timeLeft();
    return Math.min(firstByteMs, totalMs);
  };
  const next = createNextAttempt({ ...sending, limits: services.limits, leftMs });
  let { prepared } = sending;
  for (;;) {
    const sent = await sendOnce(services, { ...timeLeft(), prepared, response: sending.response });
    const again = sent.reply.kind === 'refusal' ? await next(sent.reply) : null;
    if (again === null) return sent;
    sent.watch.stop();
    prepared = again;
  }
}

interface TimeLeft {
  firstByteMs: number;
  totalMs: number;
}

function startTime({ limits, now }: SendServices, { remainingMs }: Sending): () => TimeLeft {
  const startedAtMs = now().getTime();
  return () => {
    const goneMs = now().getTime() - startedAtMs;
    const { providerMs } = shareRemainingTime(remainingMs());
    return {
      firstByteMs: limits.firstByteMs - goneMs,
      totalMs: Math.min(limits.totalMs - goneMs, providerMs),
    };
  };
}

interface Attempt extends TimeLeft {
  prepared: PreparedRequest;
  response: StreamedResponse;
}

async function sendOnce(
  { transport, limits }: SendServices,
  { prepared, response, firstByteMs, totalMs }: Attempt,
): Promise<SentRequest> {
  const { idleMs, drainMs, drainBytes, answerBytes, lingerMs } = limits;
  const watch = createDeadlineWatch({ firstByteMs, idleMs, totalMs });
  response.onCallerGone(() => watch.finishWithin({ milliseconds: drainMs, bytes: drainBytes }));
  try {
    return { watch, reply: await prepared.send({ transport, watch, answerBytes, lingerMs }) };
  } catch (error) {
    watch.stop();
    if (!(error instanceof NotBegun)) throw error;
    return { watch, reply: { requestId: null, kind: 'refusal', error, retryAfterMs: null } };
  }
}

// Whether a request that was refused is sent again, and when: only where nobody can have been charged for it.

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
