/** The chat function's answer: status and headers first, then bytes, with the reader's pace respected. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

export interface StreamedResponse {
  /** Whether status and headers have been sent, so that an error can no longer change them. */
  readonly started: boolean;
  /** The caller has closed the connection; what is written goes nowhere. */
  readonly callerGone: boolean;
  start(status: number, headers: Record<string, string>): void;
  /** Resolves when the next piece may come: at once, or when the reader has caught up or gone. */
  write(bytes: Buffer | string): Promise<void>;
  /** Ends the answer, once, and resolves when it is out or the caller gone. */
  end(): Promise<void>;
}

/** Puts status and headers before the body: `awslambda.HttpResponseStream.from` in the Lambda runtime. */
export type WithMetadata = (
  stream: Writable,
  metadata: { statusCode: number; headers: Record<string, string> },
) => Writable;

export function createStreamedResponse(
  responseStream: Writable,
  withMetadata: WithMetadata,
): StreamedResponse {
  let body: Writable | null = null;
  let gone = false;
  let ended: Promise<void> | null = null;
  const leave = () => {
    gone = !responseStream.writableFinished;
  };
  responseStream.once('close', leave);
  responseStream.on('error', leave);

  return {
    get started() {
      return body !== null;
    },
    get callerGone() {
      return gone;
    },
    start(statusCode, headers) {
      body = withMetadata(responseStream, { statusCode, headers });
    },
    async write(bytes) {
      if (gone || body === null || bytes.length === 0 || body.write(bytes)) return;
      await firstOf(body, 'drain', 'close');
    },
    async end() {
      if (gone || body === null) return;
      ended ??= endOf(body);
      await ended;
    },
  };
}

async function endOf(body: Writable): Promise<void> {
  const finished = firstOf(body, 'finish', 'close');
  body.end();
  await finished;
}

async function firstOf(stream: Writable, ...events: string[]): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  // `once` rejects on an error event that it was not asked for; here, an error only means that the caller has gone.
  await Promise.race(events.map((event) => once(stream, event, { signal }).catch(() => {})));
  abort.abort();
}
