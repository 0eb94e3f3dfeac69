/** An HTTP server on loopback that notes each connection and what was asked over it, and never closes one by itself. */
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { listen } from './listen.ts';

export interface Connection {
  /** What `nameOf` calls the requests, in the order in which they came. */
  requests: string[];
  /** Over TLS: it needed no key exchange of its own. */
  isResumed: boolean;
}

export interface LoopbackService {
  origin: string;
  connections: readonly Connection[];
  stop(): Promise<void>;
}

export interface LoopbackOptions {
  isSecure: boolean;
  nameOf(request: IncomingMessage): string;
  answer(asked: { name: string; body: string }, response: ServerResponse): void;
}

const read = (name: string) => readFileSync(path.join(import.meta.dirname, 'tls', name));

/** For `127.0.0.1` and `localhost`. */
export const certificate = read('self-signed.cert.pem');

/** Without time-outs, and with Nagle's algorithm, so that whoever turns it off is the client. */
const options = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, noDelay: false };

export async function startLoopbackService({
  isSecure,
  nameOf,
  answer,
}: LoopbackOptions): Promise<LoopbackService> {
  const connections: Connection[] = [];
  const bySocket = new WeakMap<object, Connection>();
  const server = isSecure
    ? https.createServer({ ...options, cert: certificate, key: read('self-signed.key.pem') })
    : http.createServer(options);
  server.on('request', async (request, response) => {
    const { socket } = request;
    const name = nameOf(request);
    const isResumed = socket instanceof TLSSocket && socket.isSessionReused();
    const connection = bySocket.get(socket) ?? { requests: [], isResumed };
    if (connection.requests.length === 0) connections.push(connection);
    connection.requests.push(name);
    bySocket.set(socket, connection);
    answer({ name, body: await text(request) }, response);
  });
  const { address, stop } = await listen(server);
  return { origin: `${isSecure ? 'https' : 'http'}://${address}`, connections, stop };
}
