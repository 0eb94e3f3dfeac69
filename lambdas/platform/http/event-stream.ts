/**
 * The comments between the events of a stream, from one timer: a heartbeat after a time of silence and, with the setting
 * `streamFlush`, a comment soon after an event that nothing follows.
 *
 * Lambda is reported to hold a small write back until the next one, so that a caller gets each event late:
 * https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/issues/102
 */
import type { ResponseSink } from './response-sink.ts';

/** Clients ignore it. */
export const sseComment = Buffer.from(': ping\n\n');

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** Shorter than a reader notices, and longer than a provider takes for the events of one chunk. */
export const streamFlushMs = 20;

interface EventStream {
  /** Sends bytes after the head has been sent. Wait for a promise before the next call. */
  write(bytes: Buffer): Promise<void> | undefined;
  /** Ends the comments: nothing may follow the last event. */
  stop(): void;
}

interface EventStreamOptions {
  response: ResponseSink;
  /** Silence before a comment after an event; 0 for none. */
  flushMs: number;
  heartbeat?: Heartbeat;
}

interface Heartbeat {
  /** Silence before a heartbeat; 0 for none. */
  afterMs: number;
  /** Writes a comment to the stream, after the head if that has not been sent yet. */
  send(): void;
}

export function createEventStream({ response, flushMs, heartbeat }: EventStreamOptions): EventStream {
  const heartbeatMs = heartbeat?.afterMs ?? 0;
  const isBetweenEvents = trackEvents();
  /** True while the caller is reading what was written, and needs no sign of life. */
  let isBlocked = false;
  let isStopped = false;
  /** True when the end of the last event may be held back. */
  let needsFlush = false;
  let timer: NodeJS.Timeout | undefined;
  let timerMs = 0;

  const restartTimer = () => {
    // A timer that was stopped would start again.
    if (isStopped) return;
    const delayMs = needsFlush ? flushMs : heartbeatMs;
    if (delayMs === timerMs) {
      timer?.refresh();
      return;
    }
    clearTimeout(timer);
    timerMs = delayMs;
    timer = delayMs === 0 ? undefined : setTimeout(comment, delayMs);
  };
  const send = (bytes: Buffer): Promise<void> | undefined => {
    restartTimer();
    const written = response.write(bytes);
    if (written === undefined) return undefined;
    isBlocked = true;
    return written.then(() => {
      isBlocked = false;
      restartTimer();
    });
  };
  const comment = () => {
    if (isBlocked) {
      restartTimer();
    } else if (needsFlush) {
      needsFlush = false;
      send(sseComment);
    } else {
      heartbeat?.send();
    }
  };
  restartTimer();

  return {
    write(bytes) {
      if (flushMs > 0) needsFlush = isBetweenEvents(bytes);
      return send(bytes);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Two ends of lines, LF or CRLF, or both CR. A CR after an LF may be half of a CRLF. */
const blankLine = /\r?\n\r?\n$|\r\r$/;
const maxBlankLineLength = 4;

/** Returns whether a stream is between two events after some more of its bytes, which may be split anywhere. */
function trackEvents(): (bytes: Buffer) => boolean {
  let end = '';
  return (bytes) => {
    end = (end + bytes.subarray(-maxBlankLineLength).toString('latin1')).slice(-maxBlankLineLength);
    return blankLine.test(end);
  };
}
