/** How long and how much a chat request may take. */
import type { ChatLimitSettings } from '../shared/domain/chat-limits.ts';

export interface ChatLimits {
  /** Until the first byte of the provider's answer. */
  firstByteMs: number;
  /** Between two pieces of the provider's answer. */
  idleMs: number;
  /** Until the end of the provider's answer. */
  totalMs: number;
  /** How long, and how far, a provider is read on for its usage when the caller has gone. */
  drainMs: number;
  drainBytes: number;
  /** How often a request may be sent again. */
  retries: number;
  /** A provider that asks to wait longer than this is not asked again. */
  retryAfterMs: number;
  /** How long a provider may keep its connection once its stream has said that it is over. */
  lingerMs: number;
  /** The largest answer that is read as a whole. */
  answerBytes: number;
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
    answerBytes: 32 * 1024 * 1024,
  };
}

/**
 * What is left of the function's time for each party. The rest is for the log entry: five seconds for its table, three
 * for the queue, and some for what surrounds them.
 */
export function shareRemainingTime(remainingMs: number): { providerMs: number; callerMs: number } {
  return { providerMs: Math.max(remainingMs - 12_000, 100), callerMs: Math.max(remainingMs - 10_000, 100) };
}
