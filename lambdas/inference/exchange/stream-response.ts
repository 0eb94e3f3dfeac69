/**
 * The response to a caller who asked for a stream. Status and headers are sent with the provider's first event, so that an
 * earlier failure becomes an HTTP error, unless the provider keeps the caller waiting: then they are sent with a comment.
 */
import { createEventStream, eventStreamHeaders, sseComment } from '#lambdas/platform/http/event-stream.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import { createByteAccumulator } from '../providers/http/sse.ts';
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

interface StreamResponseOptions {
  /** The heartbeat after the first event. Default: a comment. */
  heartbeatEvent?: Buffer;
  response: ResponseSink;
  /** Read when the response starts; `hasEvents` is false if it starts with a comment. */
  headers(hasEvents: boolean): Record<string, string>;
  limits: Pick<ChatLimits, 'heartbeatMs' | 'flushMs' | 'commentDelayMs'>;
}

export function createStreamResponse({
  response,
  headers,
  limits,
  heartbeatEvent = sseComment,
}: StreamResponseOptions): StreamResponse {
  const held = createByteAccumulator();
  let commentTimer: NodeJS.Timeout | undefined;
  let hasEvents = false;

  const start = () => {
    clearTimeout(commentTimer);
    if (response.status !== null || response.clientDisconnected) return;
    response.start(200, { ...headers(hasEvents), ...eventStreamHeaders });
  };
  const release = (bytes: Buffer) => {
    start();
    held.add(bytes);
    return stream.write(held.take());
  };
  const stream = createEventStream({
    response,
    flushMs: limits.flushMs,
    heartbeat: {
      afterMs: limits.heartbeatMs,
      send: () => void release(hasEvents ? heartbeatEvent : sseComment),
    },
  });

  return {
    write(events) {
      hasEvents = true;
      return response.status === null ? release(events) : stream.write(events);
    },
    writeComments(comments) {
      if (response.status !== null) return stream.write(comments);
      held.add(comments);
      if (held.length > maxHeldBytes) return release(noBytes);
      commentTimer ??= setTimeout(release, limits.commentDelayMs, noBytes);
      return undefined;
    },
    stop() {
      clearTimeout(commentTimer);
      stream.stop();
    },
  };
}
