/** Enforces the deadlines of a provider's response while it is being read. */
import { GatewayError } from '#lambdas/platform/errors.ts';

interface Deadlines {
  /** Until the first byte of the response's body. */
  firstByteMs: number;
  /** Between two chunks of the body, not counting the time in which the caller is reading. */
  idleMs: number;
  totalMs: number;
}

export interface DeadlineWatch {
  /** Replaces the previous listener. */
  onExpiry(listener: () => void): void;
  received(bytes: number): void;
  /** Suspends the idle timer while the caller is reading, or after the end of the body. */
  pause(): void;
  resume(): void;
  /**
   * For a response that is complete, or nearly so: limits the remaining time, not counting the time in which the caller is
   * reading. A shorter limit replaces an earlier one, and any limit does with `restart`, since the response went on.
   */
  settleWithin(milliseconds: number, options?: { restart: boolean }): void;
  /** Limits the remaining time and bytes, and expires when the signal is aborted. Earlier deadlines still apply. */
  finishWithin(limits: { milliseconds: number; bytes: number; signal?: AbortSignal }): void;
  /** Ends the response with an error at once. */
  expire(message: string): void;
  stop(): void;
  expired(): GatewayError | null;
}

export function createDeadlineWatch({ firstByteMs, idleMs, totalMs }: Deadlines): DeadlineWatch {
  let expired: GatewayError | null = null;
  let notify = () => {};
  const expire = (message: string) => {
    expired ??= new GatewayError('provider_timeout', { message, isMessageLogged: true });
    notify();
  };
  let paused = false;
  const onIdle = (milliseconds: number) => {
    if (!paused) expire(`The provider sent nothing for ${milliseconds / 1000} seconds`);
  };
  let idleTimer = setTimeout(onIdle, firstByteMs, firstByteMs);
  let hasStarted = false;
  const totalTimer = setTimeout(expire, totalMs, `The provider took longer than ${totalMs / 1000} seconds`);
  let settleMs = Number.POSITIVE_INFINITY;
  let settleTimer: NodeJS.Timeout | undefined;
  const startSettling = () => {
    clearTimeout(settleTimer);
    if (settleMs < Number.POSITIVE_INFINITY) {
      settleTimer = setTimeout(expire, settleMs, 'The provider did not end its response');
    }
  };
  let remainingBytes = Number.POSITIVE_INFINITY;
  let stopped = false;
  const cleanups: (() => void)[] = [];

  return {
    onExpiry(listener) {
      notify = listener;
    },
    received(bytes) {
      if (stopped) return;
      remainingBytes -= bytes;
      if (remainingBytes < 0)
        return expire('The caller disconnected, and the rest of the response is too large');
      // Refreshing a timer is cheaper than creating one.
      if (hasStarted) idleTimer.refresh();
      else {
        hasStarted = true;
        clearTimeout(idleTimer);
        idleTimer = setTimeout(onIdle, idleMs, idleMs);
      }
    },
    pause() {
      paused = true;
      clearTimeout(settleTimer);
    },
    resume() {
      paused = false;
      // A slow caller may read the last chunk after the watch was stopped.
      if (stopped) return;
      idleTimer.refresh();
      startSettling();
    },
    settleWithin(milliseconds, { restart } = { restart: false }) {
      if (stopped || (milliseconds >= settleMs && !restart)) return;
      settleMs = milliseconds;
      startSettling();
    },
    finishWithin({ milliseconds, bytes, signal }) {
      if (stopped) return;
      remainingBytes = Math.min(remainingBytes, bytes);
      const end = () => expire('The caller disconnected, and the rest of the response took too long');
      const timer = setTimeout(end, milliseconds);
      cleanups.push(() => clearTimeout(timer));
      if (signal === undefined) return;
      if (signal.aborted) return end();
      signal.addEventListener('abort', end);
      cleanups.push(() => signal.removeEventListener('abort', end));
    },
    expire,
    stop() {
      stopped = true;
      clearTimeout(idleTimer);
      clearTimeout(totalTimer);
      clearTimeout(settleTimer);
      for (const cleanUp of cleanups) cleanUp();
    },
    expired: () => expired,
  };
}
