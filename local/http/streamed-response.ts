/** Sends what a streaming function writes to the HTTP caller. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ResponseHead } from './response-prelude.ts';

/**
 * Chunk by chunk as they are written, at the caller's pace. A function that fails on the way cuts the caller's
 * connection; a caller that goes away closes the function's stream.
 */
export async function sendStream(
  response: ServerResponse,
  { head, headers, body }: { head: ResponseHead; headers: OutgoingHttpHeaders; body: Readable },
): Promise<void> {
  response.writeHead(head.statusCode, { ...headers, ...head.headers });
  // With the first chunk when it is there already, at once when it is not.
  if (body.readableLength === 0) response.flushHeaders();
  try {
    await pipeline(body, response);
  } catch {
    response.destroy();
  }
}

/** Aborted when the caller closes the connection before it was answered in full. */
export function whenCallerGoes(response: ServerResponse): AbortController {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller;
}
