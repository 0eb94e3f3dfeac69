/** The deadlines of a provider's response, watched while it comes. */
import { GatewayError } from '#lambdas/platform/errors.ts';

/** Milliseconds. */
export interface Deadlines {
  /** Until the first byte of the response's body. */
  firstByteMs: number;
  /** Between two pieces of the body; the time that the caller takes to read does not count. */
  idleMs: number;
  /** Until the end of the body. */
  totalMs: number;
}

export interface DeadlineWatch {
  /** Calls `stop` when a deadline passes; replaces the one before. */
  onExpiry(stop: () => void): void;
  /** A piece has come: the provider has the idle time again. Called for each piece of a stream. */
  received(bytes: number): void;
  /** The caller is busy reading, or all has come: silence is not the provider's. */
  pause(): void;
  resume(): void;
  /** From now on at most this long and this much, and no longer than the signal allows; a nearer deadline stays. */
  finishWithin(rest: { milliseconds: number; bytes?: number; signal?: AbortSignal }): void;
  stop(): void;
  /** The error to report, once a deadline has passed. */
  expired(): GatewayError | null;
}

export function createDeadlineWatch({ firstByteMs, idleMs, totalMs }: Deadlines): DeadlineWatch {
  let expired: GatewayError | null = null;
  let stopWork = () => {};
  const expire = (message: string) => {
    expired ??= new GatewayError('provider_timeout', { message });
    stopWork();
  };
  let paused = false;
  const silent = (milliseconds: number) => {
    if (!paused) expire(`The provider sent nothing for ${milliseconds / 1000} seconds`);
  };
  let silence = setTimeout(silent, firstByteMs, firstByteMs);
  let hasBegun = false;
  const total = setTimeout(expire, totalMs, `The provider took longer than ${totalMs / 1000} seconds`);
  let bytesLeft = Number.POSITIVE_INFINITY;
  let stopped = false;
  const cleanups: (() => void)[] = [];

  return {
    onExpiry(stop) {
      stopWork = stop;
    },
    received(bytes) {
      if (stopped) return;
      bytesLeft -= bytes;
      if (bytesLeft < 0) return expire('Nobody waits any more, and the provider had too much to say');
      // Restarting a timer costs less than setting another.
      if (hasBegun) silence.refresh();
      else {
        hasBegun = true;
        clearTimeout(silence);
        silence = setTimeout(silent, idleMs, idleMs);
      }
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      // A slow caller may have read the last piece after all is over.
      if (!stopped) silence.refresh();
    },
    finishWithin({ milliseconds, bytes = Number.POSITIVE_INFINITY, signal }) {
      if (stopped) return;
      bytesLeft = Math.min(bytesLeft, bytes);
      const end = () => expire('Nobody waits any more, and the provider took too long to end');
      const timer = setTimeout(end, milliseconds);
      cleanups.push(() => clearTimeout(timer));
      if (signal === undefined) return;
      if (signal.aborted) return end();
      signal.addEventListener('abort', end);
      cleanups.push(() => signal.removeEventListener('abort', end));
    },
    stop() {
      stopped = true;
      clearTimeout(silence);
      clearTimeout(total);
      for (const cleanUp of cleanups) cleanUp();
    },
    expired: () => expired,
  };
}
