/** The three deadlines of a provider's answer, watched while it comes. */
import { GatewayError } from '#lambdas/platform/errors.ts';

/** Milliseconds. */
export interface Deadlines {
  /** Until the first byte of the answer's body. */
  firstByteMs: number;
  /** Between two pieces of the body; the time that the caller takes to read does not count. */
  idleMs: number;
  /** Until the end of the body. */
  totalMs: number;
}

export interface DeadlineWatch {
  onExpiry(stop: () => void): void;
  /** A piece has come. The caller is busy with it: silence is not the provider's now. */
  received(bytes: number): void;
  awaitNext(): void;
  /** From now on at most this long and this much; a deadline that is nearer stays. */
  finishWithin(rest: { milliseconds: number; bytes?: number }): void;
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
  let isCallerBusy = false;
  const silent = (milliseconds: number) => {
    if (!isCallerBusy) expire(`The provider sent nothing for ${milliseconds / 1000} seconds`);
  };
  let silence = setTimeout(silent, firstByteMs, firstByteMs);
  let hasBegun = false;
  const total = setTimeout(expire, totalMs, `The provider took longer than ${totalMs / 1000} seconds`);
  const last: NodeJS.Timeout[] = [];
  let bytesLeft = Number.POSITIVE_INFINITY;
  let stopped = false;
  return {
    onExpiry(stop) {
      stopWork = stop;
    },
    received(bytes) {
      isCallerBusy = true;
      bytesLeft -= bytes;
      if (bytesLeft < 0) expire('Nobody waits any more, and the provider had too much to say');
    },
    awaitNext() {
      // A slow reader may be done with its piece after all is over.
      if (stopped) return;
      isCallerBusy = false;
      // For every piece of a stream: to set it going again costs less than another.
      if (hasBegun) silence.refresh();
      else {
        hasBegun = true;
        clearTimeout(silence);
        silence = setTimeout(silent, idleMs, idleMs);
      }
    },
    finishWithin({ milliseconds, bytes = Number.POSITIVE_INFINITY }) {
      if (stopped) return;
      bytesLeft = Math.min(bytesLeft, bytes);
      last.push(
        setTimeout(expire, milliseconds, 'Nobody waits any more, and the provider took too long to end'),
      );
    },
    stop() {
      stopped = true;
      for (const timer of [silence, total, ...last]) clearTimeout(timer);
    },
    expired: () => expired,
  };
}
