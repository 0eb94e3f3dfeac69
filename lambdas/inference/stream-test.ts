/**
 * A stream of events that say when they were written, from which a caller judges whether an endpoint passes events on as
 * they are written: `npm run smoke` and the canary do. No provider is called, and nothing is charged or counted.
 */
import type { RequestKey } from '#lambdas/access/directory.ts';
import { createEventStream, eventStreamHeaders, sseComment } from '#lambdas/platform/http/event-stream.ts';
import { requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import { sseEvent } from './providers/http/sse.ts';

const eventCount = 20;
const intervalMs = 300;

/**
 * Every fifth event is followed by a comment at once. Where Lambda holds a write back until the next one, only these events are
 * on time, and show how late the others are.
 */
const commentInterval = 5;

interface StreamTestDependencies {
  /** The time after which an event is flushed; 0 for never. */
  flushMs: number;
  log: Pick<Log, 'info'>;
  now(): Date;
  wait(ms: number): Promise<void>;
}

/** Resolves when the last event is sent, or the caller has disconnected. */
type SendStreamTest = (response: ResponseSink, apiKey: RequestKey) => Promise<void>;

export function createStreamTest({ flushMs, log, now, wait }: StreamTestDependencies): SendStreamTest {
  return async (response, { id, organization_id }) => {
    log.info('stream_test', { organization_id, api_key_id: id });
    response.start(200, { ...requestIdHeader(), ...eventStreamHeaders });
    const stream = createEventStream({ response, flushMs });
    for (let number = 1; number <= eventCount && !response.clientDisconnected; number += 1) {
      if (number > 1) await wait(intervalMs);
      await stream.write(sseEvent({ number, count: eventCount, written_at: now().toISOString() }));
      if (number % commentInterval === 0) await stream.write(sseComment);
    }
    stream.stop();
    await response.end();
  };
}
