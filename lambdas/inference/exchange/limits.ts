/** Time and size limits of a chat request. */
import { maxRequestMs } from '#lambdas/request-log/durations.ts';
import { defaultFirstEventSeconds } from '#lambdas/routing/route.ts';

/** Lambda's maximum, since reasoning models can take many minutes. */
export const chatTimeoutSeconds = maxRequestMs / 1000;

/** A request waits for at most two reads of custom prices, one after the other, before its log entry is written. */
export const customPriceTimeoutMs = 750;

/**
 * Reserved for the log entry: 1.5 seconds for custom prices, two for a renewal of what the request holds and two for its end, five for
 * the table, three for the queue, and a margin.
 */
const logWriteSeconds = 14;

/** Between the provider's deadline and the response's deadline, so that a timeout can still be reported to the caller. */
const timeoutMarginSeconds = 2;

const maxSeconds = chatTimeoutSeconds - logWriteSeconds - timeoutMarginSeconds;

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html */
const apiGatewayIdleSeconds = 300;

/** An idle provider must be reported before API Gateway closes the stream. */
const idleMarginSeconds = 15;

/**
 * The setting `chatLimits`, whose schema in `lib/settings/settings.ts` describes each limit. Synth validates it, adds the
 * defaults and passes it to the function as JSON.
 */
export interface ChatLimitSettings {
  firstByteSeconds: number;
  idleSeconds: number;
  totalSeconds: number;
  drainSeconds: number;
  drainMegabytes: number;
  retries: number;
  retryAfterSeconds: number;
  heartbeatSeconds: number;
}

export const defaultChatLimits: ChatLimitSettings = {
  firstByteSeconds: apiGatewayIdleSeconds - idleMarginSeconds,
  idleSeconds: apiGatewayIdleSeconds - idleMarginSeconds,
  totalSeconds: maxSeconds,
  drainSeconds: 30,
  drainMegabytes: 10,
  retries: 1,
  retryAfterSeconds: 2,
  heartbeatSeconds: 15,
};

export interface ChatLimits {
  firstByteMs: number;
  /** Until the first event of a stream, while another target of the route can serve the request. */
  firstEventMs: number;
  idleMs: number;
  totalMs: number;
  drainMs: number;
  drainBytes: number;
  retries: number;
  retryAfterMs: number;
  /** The time that a provider may take to end its response after everything has arrived, including the usage. */
  closeGraceMs: number;
  /** The same after the finish reason, while the usage is missing. */
  finishGraceMs: number;
  /** 0 for none. */
  heartbeatMs: number;
  /** The time after which an event is flushed; 0 for never. */
  flushMs: number;
  /** The time after which a provider's comment is forwarded before its first event. */
  commentDelayMs: number;
  maxResponseBytes: number;
}

export function chatLimits(
  settings: ChatLimitSettings,
  { flushMs }: Pick<ChatLimits, 'flushMs'>,
): ChatLimits {
  return {
    firstByteMs: settings.firstByteSeconds * 1000,
    firstEventMs: defaultFirstEventSeconds * 1000,
    idleMs: settings.idleSeconds * 1000,
    totalMs: settings.totalSeconds * 1000,
    drainMs: settings.drainSeconds * 1000,
    drainBytes: settings.drainMegabytes * 1024 * 1024,
    retries: settings.retries,
    retryAfterMs: settings.retryAfterSeconds * 1000,
    closeGraceMs: 1000,
    finishGraceMs: 5000,
    heartbeatMs: settings.heartbeatSeconds * 1000,
    flushMs,
    // Long enough for an error to become an HTTP status, and short enough for proxies that wait for a response.
    commentDelayMs: 500,
    maxResponseBytes: 32 * 1024 * 1024,
  };
}

const minTimeMs = 100;

export function responseDeadlineMs(nowMs: number, remainingMs: number): number {
  return nowMs + Math.max(remainingMs - logWriteSeconds * 1000, minTimeMs);
}

export function providerDeadlineMs(nowMs: number, deadlineMs: number): number {
  return Math.max(deadlineMs - timeoutMarginSeconds * 1000, nowMs + minTimeMs);
}
