/** Writes an HTTP response: status and headers first, then the body with backpressure. */
import type { Writable } from 'node:stream';

export interface ResponseSink {
  /** The status that was sent with the headers; `null` while an error can still change it. */
  readonly status: number | null;
  /**
   * True when the client has closed the connection, or after `disconnectAfter`. Writes are then discarded. Lambda does not
   * report that a client has closed its connection; an HTTP server does.
   */
  readonly clientDisconnected: boolean;
  /** Calls the listener asynchronously when the client disconnects, also when it has disconnected already. */
  onClientDisconnect(listener: () => void): void;
  /** Closes the connection after this time, so that a slow reader cannot keep a request open forever. */
  disconnectAfter(milliseconds: number): void;
  /** Adds headers to those of `start`. */
  addHeaders(headers: Record<string, string>): void;
  start(status: number, headers: Record<string, string>): void;
  /** When a promise is returned, wait for it before the next write: it resolves on `drain` or a client disconnect. */
  write(bytes: Buffer | string): Promise<void> | undefined;
  /**
   * Ends the response once, after an optional last chunk, which is empty for a response without a body. Resolves when it is
   * sent or the client has disconnected.
   */
  end(lastChunk?: Buffer | string): Promise<void>;
}

type WriteHead = (status: number, headers: Record<string, string>) => Writable;

/** `connection` closes when the client disconnects; it may be the stream that `writeHead` returns. */
export function createResponseSink(connection: Writable, writeHead: WriteHead): ResponseSink {
  const client = watchClient(connection);
  let body: Writable | null = null;
  let status: number | null = null;
  let addedHeaders: Record<string, string> = {};
  let ended: Promise<void> | null = null;

  return {
    get status() {
      return status;
    },
    get clientDisconnected() {
      return client.isDisconnected;
    },
    onClientDisconnect: (listener) => void client.disconnected.then(listener),
    disconnectAfter: client.disconnectAfter,
    addHeaders(headers) {
      addedHeaders = { ...addedHeaders, ...headers };
    },
    start(statusCode, headers) {
      status = statusCode;
      body = writeHead(statusCode, { ...headers, ...addedHeaders });
    },
    write(bytes) {
      if (client.isDisconnected || body === null || bytes.length === 0 || body.write(bytes)) return undefined;
      return client.waitFor(body, 'drain');
    },
    async end(lastChunk) {
      if (client.isDisconnected || body === null) return client.stopTimer();
      ended ??= endBody(body, client, lastChunk);
      await ended;
    },
  };
}

async function endBody(body: Writable, client: Client, lastChunk?: Buffer | string): Promise<void> {
  const finished = client.waitFor(body, 'finish');
  // Lambda's stream sends status and headers with the first write, even an empty one, and not at all without a write:
  // https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/issues/97
  // Writes of the same tick are sent in one packet.
  if (lastChunk !== undefined) body.write(lastChunk);
  body.end();
  await finished;
  client.stopTimer();
}

interface Client {
  readonly isDisconnected: boolean;
  readonly disconnected: Promise<void>;
  /** Resolves with the stream's event, or when the client disconnects. */
  waitFor(stream: Writable, event: 'drain' | 'finish'): Promise<void>;
  disconnectAfter(milliseconds: number): void;
  stopTimer(): void;
}

function watchClient(connection: Writable): Client {
  const { promise: disconnected, resolve: resolveDisconnected } = Promise.withResolvers<void>();
  let isDisconnected = false;
  // One waiter at a time: `Promise.race` with `disconnected` would leak one reaction per wait of a long stream.
  let wake = () => {};
  let timer: NodeJS.Timeout | undefined;

  const disconnect = () => {
    if (isDisconnected || connection.writableFinished) return;
    isDisconnected = true;
    clearTimeout(timer);
    resolveDisconnected();
    wake();
  };
  connection.once('close', disconnect);
  connection.on('error', disconnect);

  return {
    get isDisconnected() {
      return isDisconnected;
    },
    disconnected,
    waitFor: (stream, event) =>
      new Promise((resolve) => {
        wake = resolve;
        stream.once(event, resolve);
      }),
    disconnectAfter(milliseconds) {
      timer = setTimeout(() => {
        disconnect();
        connection.destroy();
      }, milliseconds);
    },
    stopTimer: () => clearTimeout(timer),
  };
}
