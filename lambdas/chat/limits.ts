/** How long and how much a chat request may take. */

export interface ChatLimits {
  /** Until the first byte of the provider's answer. */
  firstByteMs: number;
  /** Between two pieces of the provider's answer. */
  idleMs: number;
  /** How long, and how far, a provider is read on for its usage when the caller has gone. */
  drainMs: number;
  drainBytes: number;
  /** How long a provider may keep its connection once its stream has said that it is over. */
  lingerMs: number;
  /** The largest answer that is read as a whole. */
  answerBytes: number;
}

export const defaultLimits: ChatLimits = {
  // API Gateway ends a stream that is silent for five minutes.
  firstByteMs: 285_000,
  idleMs: 285_000,
  drainMs: 30_000,
  drainBytes: 10 * 1024 * 1024,
  lingerMs: 1000,
  answerBytes: 32 * 1024 * 1024,
};

/** What is left of the function's time for each party: the rest is for the log. */
export function shareRemainingTime(remainingMs: number): { providerMs: number; callerMs: number } {
  return { providerMs: Math.max(remainingMs - 10_000, 100), callerMs: Math.max(remainingMs - 5000, 100) };
}
