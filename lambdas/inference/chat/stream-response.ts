/**
 * The response to a caller who asked for a stream. Status and headers are sent with the provider's first event, so that an
 * earlier failure becomes an HTTP error, unless the provider keeps the caller waiting: then they are sent with a comment.
 */
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createByteAccumulator, sseComment } from '../providers/http/sse.ts';
import type { ChatLimits } from './limits.ts';

const noBytes = Buffer.alloc(0);

/** Far more than comments need in the moment for which they are held back. */
const maxHeldBytes = 64 * 1024;

export interface StreamResponse {
  /** Sends events and the comments held back before them. Wait for a promise before the next call. */
  write(events: Buffer): Promise<void> | undefined;
  /**
   * Sends comments. Before the response has started, holds them back for a moment, in which the provider may still report an
   * error.
   */
  writeComments(comments: Buffer): Promise<void> | undefined;
  /** Ends the heartbeats: nothing may follow the last event. */
  stop(): void;
}

export interface StreamResponseOptions {
  response: ResponseSink;
  headers(): Record<string, string>;
  limits: Pick<ChatLimits, 'heartbeatMs' | 'commentDelayMs'>;
}

export function createStreamResponse({ response, headers, limits }: StreamResponseOptions): StreamResponse {
  const held = createByteAccumulator();
  /** True while the caller is reading what was written, and needs no sign of life. */
  let isBlocked = false;
  let isStopped = false;
  let commentTimer: NodeJS.Timeout | undefined;

  /** A timer that was stopped would start again. */
  const refresh = () => {
    if (!isStopped) heartbeat?.refresh();
  };
  const write = (bytes: Buffer): Promise<void> | undefined => {
    refresh();
    const written = response.write(bytes);
    if (written === undefined) return undefined;
    isBlocked = true;
    return written.then(() => {
      isBlocked = false;
      refresh();
    });
  };
  const start = () => {
    clearTimeout(commentTimer);
    if (response.status !== null || response.clientDisconnected) return;
    response.start(200, {
      ...headers(),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
  };
  const release = (bytes: Buffer) => {
    start();
    held.add(bytes);
    return write(held.take());
  };
  const beat = () => {
    if (!isBlocked) release(sseComment);
    refresh();
  };
  const heartbeat = limits.heartbeatMs === 0 ? null : setTimeout(beat, limits.heartbeatMs);

  return {
    write: (events) => (response.status === null ? release(events) : write(events)),
    writeComments(comments) {
      if (response.status !== null) return write(comments);
      held.add(comments);
      if (held.length > maxHeldBytes) return release(noBytes);
      commentTimer ??= setTimeout(release, limits.commentDelayMs, noBytes);
      return undefined;
    },
    stop() {
      isStopped = true;
      clearTimeout(commentTimer);
      clearTimeout(heartbeat ?? undefined);
    },
  };
}
