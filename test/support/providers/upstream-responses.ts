/** Scripted upstream responses for any protocol: well-formed, delayed or truncated. Each is a function of the exchange. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface RecordedRequest {
  method: string;
  url: string;
  /** Alternating names and values, as sent. */
  rawHeaders: string[];
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The response's `x-request-id`, unless a scripted response overrides it. */
  requestId: string;
  ended: Promise<'completed' | 'closed_by_client' | 'closed_by_upstream'>;
}

export interface Exchange {
  request: RecordedRequest;
  response: ServerResponse;
  /** Disconnects: `close` flushes the bytes written so far, `reset` sends a TCP reset immediately. */
  disconnect(how: 'close' | 'reset'): void;
}

export type Respond = (exchange: Exchange) => void | Promise<void>;

type Headers = Record<string, string>;
type Chunk = Buffer | string;

interface ResponseOptions {
  status?: number;
  headers?: Headers;
}

interface StreamOptions extends ResponseOptions {
  /** Action after the last chunk; `hang` leaves the response open. */
  ending?: 'complete' | 'hang' | 'close' | 'reset';
}

export const eventStream: Headers = { 'content-type': 'text/event-stream; charset=utf-8' };

/** Sends `body` as JSON; strings and Buffers are sent unchanged. */
export function jsonResponse(body: unknown, { status = 200, headers = {} }: ResponseOptions = {}): Respond {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return ({ request, response }) => {
    const defaults = { 'content-type': 'application/json', 'x-request-id': request.requestId };
    response.writeHead(status, { ...defaults, ...headers }).end(bytes);
  };
}

/**
 * Flushes each chunk before it requests the next; an async iterable may wait between chunks. Bytes written right before
 * `ending: 'reset'` can be lost: when they matter, use `controlledStream` and reset after they have arrived.
 */
export function streamResponse(
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  { status = 200, headers = eventStream, ending = 'complete' }: StreamOptions = {},
): Respond {
  return async ({ request, response, disconnect }) => {
    response.writeHead(status, { 'x-request-id': request.requestId, ...headers });
    response.flushHeaders();
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      await write(response, chunk);
    }
    if (ending === 'complete') response.end();
    else if (ending !== 'hang') disconnect(ending);
  };
}

export const hangBeforeHeaders: Respond = () => {};

export const resetBeforeHeaders: Respond = ({ disconnect }) => disconnect('reset');

interface ControlledStream {
  respond: Respond;
  /** Resolves once the request has arrived and the chunk has been flushed; the first chunk also sends the headers. */
  write(chunk: Chunk): Promise<void>;
  end(): Promise<void>;
  disconnect(how: 'close' | 'reset'): Promise<void>;
}

/** A stream that a test writes step by step. */
export function controlledStream({
  status = 200,
  headers = eventStream,
}: ResponseOptions = {}): ControlledStream {
  const started = Promise.withResolvers<Exchange>();
  return {
    respond: (exchange) => {
      exchange.response.writeHead(status, { 'x-request-id': exchange.request.requestId, ...headers });
      started.resolve(exchange);
    },
    write: async (chunk) => write((await started.promise).response, chunk),
    end: async () => {
      (await started.promise).response.end();
    },
    disconnect: async (how) => (await started.promise).disconnect(how),
  };
}

/** Also resolves when the client has disconnected, so that no script waits forever. */
function write(response: ServerResponse, chunk: Chunk): Promise<void> {
  return new Promise((resolve) => {
    response.write(chunk, () => resolve());
  });
}
