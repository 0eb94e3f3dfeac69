/** HTTP servers on the loopback interface, with an access log and limited request bodies. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { handleInvalidHttp, rejectMissingHost } from './invalid-http.ts';

export interface HttpListener {
  port: number;
  origin: string;
  /** Requests get 503 until this is called. */
  serve(listener: RequestListener): void;
  /** Closes open connections immediately. */
  close(): Promise<void>;
}

/** The maximum on Linux. With Node's default of 511, a burst overflows the queue and Linux resets connections. */
const listenBacklog = 4096;

/** Port 0 selects a free port. */
export async function openHttpListener(port: number): Promise<HttpListener> {
  const switchable = createSwitchableListener();
  const server = await listen(switchable.listener, { port, host: '127.0.0.1' });
  return createHttpListener([server], { hostName: '127.0.0.1', serve: switchable.serve });
}

/**
 * Opens a listener whose origin has the name `localhost`. It listens on both loopback addresses, because programs resolve
 * that name to either.
 */
export async function openLocalhostListener(port: number): Promise<HttpListener> {
  const switchable = createSwitchableListener();
  for (let attempt = 1; ; attempt += 1) {
    const server = await listen(switchable.listener, { port, host: '127.0.0.1' });
    try {
      const sameOnIpv6 = await listenOnIpv6(switchable.listener, portOf(server));
      return createHttpListener([server, ...sameOnIpv6], { hostName: 'localhost', serve: switchable.serve });
    } catch (error) {
      await close(server);
      // Another program may use the free port on the other address.
      if (port !== 0 || attempt === 3) throw error;
    }
  }
}

function createSwitchableListener() {
  let current: RequestListener = (_request, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end(
      '{"error":{"message":"The local gateway is starting.","type":"api_error","param":null,"code":null}}',
    );
  };
  const listener: RequestListener = (request, response) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) rejectMissingHost(response);
    else current(request, response);
  };
  const serve = (next: RequestListener) => {
    current = next;
  };
  return { listener, serve };
}

async function listen(
  listener: RequestListener,
  { port, host }: { port: number; host: string },
): Promise<Server> {
  const server = createServer({ requireHostHeader: false }, listener);
  handleInvalidHttp(server);
  // Never close idle connections: a client that reuses one at that moment would get an error.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, port)));
    server.listen({ port, host, backlog: listenBacklog }, resolve);
  });
  return server;
}

/** Returns no server when the machine has no IPv6 loopback address. */
async function listenOnIpv6(listener: RequestListener, port: number): Promise<Server[]> {
  try {
    return [await listen(listener, { port, host: '::1' })];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [];
    throw error;
  }
}

function createHttpListener(
  servers: readonly [Server, ...Server[]],
  { hostName, serve }: { hostName: string; serve: HttpListener['serve'] },
): HttpListener {
  const port = portOf(servers[0]);
  return {
    port,
    origin: `http://${hostName}:${port}`,
    serve,
    close: async () => {
      await Promise.all(servers.map(close));
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function explainListenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new LocalGatewayError(
      `Port ${port} is in use: stop the program that uses it, or choose another port with PORT=<port>`,
    );
  }
  if (error.code === 'EACCES') {
    return new LocalGatewayError(
      `No permission to use port ${port}: choose a port above 1023 with PORT=<port>`,
    );
  }
  return error;
}

/** Logs method, path without query, status and duration of each request. Never logs headers or bodies. */
export function withAccessLog(listener: RequestListener, log: (line: string) => void): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const path = request.url?.split('?')[0];
      const status = response.headersSent ? response.statusCode : '-';
      const incomplete = response.writableFinished ? '' : ' (incomplete)';
      log(`${request.method} ${path} ${status} ${Math.round(performance.now() - startedAt)} ms${incomplete}`);
    });
    listener(request, response);
  };
}

/** `status` is `null` if the client disconnected before the response. */
export function withResponseMetrics(
  listener: RequestListener,
  onResponse: (response: { status: number | null; latencyMs: number }) => void,
): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : null;
      onResponse({ status, latencyMs: performance.now() - startedAt });
    });
    listener(request, response);
  };
}

/**
 * Resolves to `null` when the body is larger than `maxBytes`. Reads the body to its end even then, because many clients
 * read no response before they have sent the whole request.
 */
export async function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? null : Buffer.concat(chunks);
}
