/** How long and how much a chat request may take: the setting `chatLimits`, and the time that the function has. */
import { maxRequestMs } from '#lambdas/request-log/durations.ts';

/** Lambda's maximum, since a model that reasons for long answers for long. */
export const chatTimeoutSeconds = maxRequestMs / 1000;

/** Kept for the log entry: five seconds for its table, three for the queue, and some for what surrounds them. */
const bookkeepingSeconds = 10;

/** Between the end of the provider's time and that of the caller's, so that a timeout still reaches the caller. */
const farewellSeconds = 2;

const maxSeconds = chatTimeoutSeconds - bookkeepingSeconds - farewellSeconds;

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html */
const apiGatewayIdleSeconds = 300;

/** A silent provider has to be reported before API Gateway ends the stream. */
const idleMarginSeconds = 15;

/** The setting `chatLimits`: synth validates it, completes it with the defaults and writes it as JSON. */
export interface ChatLimitSettings {
  /** Until the first byte of the provider's response. */
  firstByteSeconds: number;
  /** Between two pieces of the provider's response. */
  idleSeconds: number;
  /** Until the end of the provider's response. What is left of the function's time is a limit too. */
  totalSeconds: number;
  /** How long, and how far, a provider is read on for its usage when the caller has gone. */
  drainSeconds: number;
  drainMegabytes: number;
  /** How often a request may be sent again. */
  retries: number;
  /** A provider that asks to wait longer than this is not asked again. */
  retryAfterSeconds: number;
}

export const defaultChatLimits: ChatLimitSettings = {
  firstByteSeconds: apiGatewayIdleSeconds - idleMarginSeconds,
  idleSeconds: apiGatewayIdleSeconds - idleMarginSeconds,
  totalSeconds: maxSeconds,
  drainSeconds: 30,
  drainMegabytes: 10,
  retries: 1,
  retryAfterSeconds: 2,
};

export interface ChatLimits {
  firstByteMs: number;
  idleMs: number;
  totalMs: number;
  drainMs: number;
  drainBytes: number;
  retries: number;
  retryAfterMs: number;
  /** How long a provider may keep its connection once its stream has said that it is over. */
  lingerMs: number;
  /** The largest non-streaming response. */
  maxCompletionBytes: number;
}

export function chatLimits(settings: ChatLimitSettings): ChatLimits {
  return {
    firstByteMs: settings.firstByteSeconds * 1000,
    idleMs: settings.idleSeconds * 1000,
    totalMs: settings.totalSeconds * 1000,
    drainMs: settings.drainSeconds * 1000,
    drainBytes: settings.drainMegabytes * 1024 * 1024,
    retries: settings.retries,
    retryAfterMs: settings.retryAfterSeconds * 1000,
    lingerMs: 1000,
    maxCompletionBytes: 32 * 1024 * 1024,
  };
}

/** However little time is left, so much is tried. */
const minTimeMs = 100;

/** When the response has to be over, given the milliseconds that are left until Lambda ends the invocation. */
export function responseDeadlineMs(nowMs: number, remainingMs: number): number {
  return nowMs + Math.max(remainingMs - bookkeepingSeconds * 1000, minTimeMs);
}

/** When the provider has to be done, so that the caller hears of it before the response has to be over. */
export function providerDeadlineMs(nowMs: number, deadlineMs: number): number {
  return Math.max(deadlineMs - farewellSeconds * 1000, nowMs + minTimeMs);
}
