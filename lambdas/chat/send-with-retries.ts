/** Sends a request to its provider, and again where that is safe, in the time that all attempts share. */
import type { StreamedResponse } from '../shared/http/streamed-response.ts';
import { NotBegun } from '../shared/providers/http/connection-failure.ts';
import { createDeadlineWatch, type DeadlineWatch } from '../shared/providers/http/deadline-watch.ts';
import type { HttpTransport } from '../shared/providers/http/http-transport.ts';
import type { PreparedRequest, ProviderReply } from '../shared/providers/provider.ts';
import { type ChatLimits, shareRemainingTime } from './limits.ts';
import { type Attempts, createNextAttempt } from './next-attempt.ts';

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
