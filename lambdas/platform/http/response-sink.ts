/** Where a response goes: status and headers first, then bytes at the pace of the caller who reads them. */
import type { Writable } from 'node:stream';

export interface ResponseSink {
  /** The status that was sent, with the headers; `null` while an error can still change it. */
  readonly status: number | null;
  /** The caller has closed the connection, or is taken to have; what is written goes nowhere. */
  readonly clientDisconnected: boolean;
  /** Calls the listener when the caller goes, or soon if that has happened. */
  onClientDisconnect(listener: () => void): void;
  /** From then on a caller who is still reading counts as gone, so that nobody can hold a request open for ever. */
  disconnectAfter(milliseconds: number): void;
  start(status: number, headers: Record<string, string>): void;
  /** Write the next piece at once, or when the promise resolves: the caller has caught up or gone. */
  write(bytes: Buffer | string): Promise<void> | undefined;
  /** Ends the response, once, with a last piece if given; resolves when it is out or the caller gone. */
  end(last?: Buffer | string): Promise<void>;
}

/** Sends status and headers, and returns the stream that takes the body. */
export type WriteHead = (status: number, headers: Record<string, string>) => Writable;

/** `connection` tells when the caller has gone; it may be the stream that `writeHead` returns. */
export function createResponseSink(connection: Writable, writeHead: WriteHead): ResponseSink {
  const caller = watchCaller(connection);
  let body: Writable | null = null;
  let status: number | null = null;
  let ended: Promise<void> | null = null;

  return {
    get status() {
      return status;
    },
    get clientDisconnected() {
      return caller.gone;
    },
    onClientDisconnect: (listener) => void caller.departure.then(listener),
    disconnectAfter: caller.disconnectAfter,
    start(statusCode, headers) {
      status = statusCode;
      body = writeHead(statusCode, headers);
    },
    write(bytes) {
      if (caller.gone || body === null || bytes.length === 0 || body.write(bytes)) return undefined;
      return caller.goneOr(body, 'drain');
    },
    async end(last) {
      if (caller.gone || body === null) return caller.forget();
      ended ??= endBody(body, caller, last);
      await ended;
    },
  };
}

async function endBody(body: Writable, caller: Caller, last?: Buffer | string): Promise<void> {
  const finished = caller.goneOr(body, 'finish');
  // Lambda's stream sends status and headers with a write alone. What is written in one go leaves in one packet.
  if (last !== undefined && last.length > 0) body.write(last);
  body.end();
  await finished;
  caller.forget();
}

interface Caller {
  readonly gone: boolean;
  /** Resolves when the caller goes. */
  readonly departure: Promise<void>;
  /** Resolves with the stream's event, or when the caller goes. */
  goneOr(stream: Writable, event: 'drain' | 'finish'): Promise<void>;
  disconnectAfter(milliseconds: number): void;
  /** The response is out: the caller's patience no longer matters. */
  forget(): void;
}

function watchCaller(connection: Writable): Caller {
  const { promise: departure, resolve: depart } = Promise.withResolvers<void>();
  let gone = false;
  // One at a time waits; a race with `departure` would leave a reaction in it for every wait of a long stream.
  let wake = () => {};
  let patience: NodeJS.Timeout | undefined;

  const leave = () => {
    if (gone || connection.writableFinished) return;
    gone = true;
    clearTimeout(patience);
    depart();
    wake();
  };
  connection.once('close', leave);
  connection.on('error', leave);

  return {
    get gone() {
      return gone;
    },
    departure,
    goneOr: (stream, event) =>
      new Promise((resolve) => {
        wake = resolve;
        stream.once(event, resolve);
      }),
    disconnectAfter(milliseconds) {
      patience = setTimeout(() => {
        leave();
        connection.destroy();
      }, milliseconds);
    },
    forget: () => clearTimeout(patience),
  };
}
