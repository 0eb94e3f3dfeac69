/** What an upstream can answer, whatever its protocol: well-formed, late, cut short. Each answer is a function of the exchange. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface RecordedRequest {
  method: string;
  url: string;
  /** Names and values in turn, as they were sent. */
  rawHeaders: string[];
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The `x-request-id` of the answer, unless a scripted answer sets another or none. */
  requestId: string;
  /** How the exchange ended. */
  ended: Promise<'answered' | 'closed_by_client' | 'cut_by_upstream'>;
}

export interface Exchange {
  request: RecordedRequest;
  response: ServerResponse;
  /** Breaks the connection off: `close` after all bytes written so far, `reset` at once, with a TCP reset. */
  cut(how: 'close' | 'reset'): void;
}

export type Respond = (exchange: Exchange) => void | Promise<void>;

type Headers = Record<string, string>;
type Chunk = Buffer | string;

interface AnswerOptions {
  status?: number;
  headers?: Headers;
}

interface StreamOptions extends AnswerOptions {
  /** What happens after the last chunk; `hang` leaves the response open. */
  ending?: 'complete' | 'hang' | 'close' | 'reset';
}

export const eventStream: Headers = { 'content-type': 'text/event-stream; charset=utf-8' };

/** Sends `body` as JSON; a text or a Buffer goes out as it is. */
export function jsonResponse(body: unknown, { status = 200, headers = {} }: AnswerOptions = {}): Respond {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return ({ request, response }) => {
    const defaults = { 'content-type': 'application/json', 'x-request-id': request.requestId };
    response.writeHead(status, { ...defaults, ...headers }).end(bytes);
  };
}

/**
 * Writes the chunks one by one, each flushed before the next is asked for. An async iterable may wait between
 * chunks. Bytes written right before `ending: 'reset'` can be lost on the way, as with any reset: where they
 * count, use `controlledStream` and reset after they have arrived.
 */
export function streamResponse(
  chunks: Iterable<Chunk> | AsyncIterable<Chunk>,
  { status = 200, headers = eventStream, ending = 'complete' }: StreamOptions = {},
): Respond {
  return async ({ request, response, cut }) => {
    response.writeHead(status, { 'x-request-id': request.requestId, ...headers });
    response.flushHeaders();
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      await write(response, chunk);
    }
    if (ending === 'complete') response.end();
    else if (ending !== 'hang') cut(ending);
  };
}

/** Takes the request and never answers; the exchange ends when the client gives up. */
export const hangBeforeHeaders: Respond = () => {};

/** Takes the request and breaks the connection without an answer. */
export const resetBeforeHeaders: Respond = ({ cut }) => cut('reset');

export interface ControlledStream {
  respond: Respond;
  /** Resolves when the request has come and the chunk was handed to the system; headers go out with the first. */
  write(chunk: Chunk): Promise<void>;
  end(): Promise<void>;
  cut(how: 'close' | 'reset'): Promise<void>;
}

/** A stream that a test writes step by step, holding what comes next until it wants it. */
export function controlledStream({
  status = 200,
  headers = eventStream,
}: AnswerOptions = {}): ControlledStream {
  const begun = Promise.withResolvers<Exchange>();
  return {
    respond: (exchange) => {
      exchange.response.writeHead(status, { 'x-request-id': exchange.request.requestId, ...headers });
      begun.resolve(exchange);
    },
    write: async (chunk) => write((await begun.promise).response, chunk),
    end: async () => {
      (await begun.promise).response.end();
    },
    cut: async (how) => (await begun.promise).cut(how),
  };
}

/** Resolves also when the client has gone, so that no script waits for ever. */
function write(response: ServerResponse, chunk: Chunk): Promise<void> {
  return new Promise((resolve) => {
    response.write(chunk, () => resolve());
  });
}
