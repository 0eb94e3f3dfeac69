/** Sends a request to its provider, and again where that is safe: where nobody can have been charged for it. */
import type { StreamedResponse } from '../shared/http/streamed-response.ts';
import { NotBegun } from '../shared/providers/http/connection-failure.ts';
import { createDeadlineWatch, type DeadlineWatch } from '../shared/providers/http/deadline-watch.ts';
import type { HttpTransport } from '../shared/providers/http/http-transport.ts';
import type { PreparedRequest, ProviderReply, Refusal } from '../shared/providers/provider.ts';
import { type ChatLimits, shareRemainingTime } from './limits.ts';
import type { LogDraft } from './log-draft.ts';

export interface SendServices {
  transport: HttpTransport;
  limits: ChatLimits;
  now(): Date;
}

export interface Sending {
  prepared: PreparedRequest;
  /** The same with the credential that has come since; `null` when there is none. */
  renew(): Promise<PreparedRequest | null>;
  response: StreamedResponse;
  draft: LogDraft;
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
  const time = startTime(services, sending);
  const next = createNextAttempt(services, sending, time);
  let { prepared } = sending;
  for (;;) {
    const sent = await sendOnce(services, { ...time.left(), prepared, response: sending.response });
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

/** All attempts share one time. */
function startTime({ limits, now }: SendServices, { remainingMs }: Sending): { left(): TimeLeft } {
  const startedAtMs = now().getTime();
  return {
    left() {
      const goneMs = now().getTime() - startedAtMs;
      const { providerMs } = shareRemainingTime(remainingMs());
      return {
        firstByteMs: limits.firstByteMs - goneMs,
        totalMs: Math.min(limits.totalMs - goneMs, providerMs),
      };
    },
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

/** What to send after a refusal, once it is time; `null` when the refusal stands. */
type NextAttempt = (refusal: Refusal) => Promise<PreparedRequest | null>;

function createNextAttempt(
  { limits }: SendServices,
  { prepared, renew, response, draft }: Sending,
  time: { left(): TimeLeft },
): NextAttempt {
  let latest = prepared;
  let isRenewed = false;
  const isWorthIt = (waitMs: number) => {
    const { firstByteMs, totalMs } = time.left();
    return !response.callerGone && waitMs < Math.min(firstByteMs, totalMs);
  };
  return async (refusal) => {
    if (refusal.error.code === 'provider_authentication_failed' && !isRenewed) {
      isRenewed = true;
      const renewed = await renew();
      if (renewed === null || !isWorthIt(0)) return null;
      latest = renewed;
      return latest;
    }
    const waitMs = waitBeforeRetry(refusal, limits);
    if (waitMs === null || draft.retries >= limits.retries || !isWorthIt(waitMs)) return null;
    await pause(waitMs, response);
    if (response.callerGone) return null;
    draft.retries += 1;
    return latest;
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
