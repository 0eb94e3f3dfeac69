/** An HTTP server on loopback that records its connections and their requests, and never closes one by itself. */
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { listen } from './listen.ts';

interface Connection {
  /** The names of the requests, in the order of arrival. */
  requests: string[];
  isResumed: boolean;
}

export interface LoopbackService {
  origin: string;
  connections: readonly Connection[];
  stop(): Promise<void>;
}

interface LoopbackOptions {
  useTls: boolean;
  nameRequest(request: IncomingMessage): string;
  respond(request: { name: string; body: string }, response: ServerResponse): void;
}

const readTlsFile = (name: string) => readFileSync(path.join(import.meta.dirname, '../tls', name));

/** For `127.0.0.1` and `localhost`. */
export const certificate = readTlsFile('self-signed.cert.pem');

/** No timeouts, and Nagle's algorithm is on, so that only the client can turn it off. */
const options = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, noDelay: false };

export async function startLoopbackService({
  useTls,
  nameRequest,
  respond,
}: LoopbackOptions): Promise<LoopbackService> {
  const connections: Connection[] = [];
  const bySocket = new WeakMap<object, Connection>();
  const server = useTls
    ? https.createServer({ ...options, cert: certificate, key: readTlsFile('self-signed.key.pem') })
    : http.createServer(options);
  server.on('request', async (request, response) => {
    const { socket } = request;
    const name = nameRequest(request);
    const isResumed = socket instanceof TLSSocket && socket.isSessionReused();
    const connection = bySocket.get(socket) ?? { requests: [], isResumed };
    if (connection.requests.length === 0) connections.push(connection);
    connection.requests.push(name);
    bySocket.set(socket, connection);
    respond({ name, body: await text(request) }, response);
  });
  const { address, stop } = await listen(server);
  return { origin: `${useTls ? 'https' : 'http'}://${address}`, connections, stop };
}
