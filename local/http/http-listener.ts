/** HTTP servers on the loopback interface: listeners, access lines, request bodies. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { refuseInvalidHttp, refuseMissingHost } from './invalid-http.ts';

export interface HttpListener {
  port: number;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** Until it is called, requests are answered by 503. */
  answerWith(listener: RequestListener): void;
  /** Cuts the connections that are open. */
  close(): Promise<void>;
}

/** Node's own 511 are too few for a burst of callers: Linux resets connections when the queue overflows. It allows 4096. */
const listenBacklog = 4096;

/** Port 0 takes a free one. */
export async function openHttpListener(port: number): Promise<HttpListener> {
  let listener: RequestListener = (_request, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end(
      '{"error":{"message":"The local gateway is starting.","type":"api_error","param":null,"code":null}}',
    );
  };
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) refuseMissingHost(response);
    else listener(request, response);
  });
  refuseInvalidHttp(server);
  // Clients keep connections open: were one closed just as it is used again, its request would fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, port)));
    server.listen({ port, host: '127.0.0.1', backlog: listenBacklog }, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    port: boundPort,
    origin: `http://127.0.0.1:${boundPort}`,
    answerWith: (newListener) => {
      listener = newListener;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function explainListenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new LocalGatewayError(
      `Port ${port} is in use: stop what listens there, or choose another with PORT=<port>`,
    );
  }
  if (error.code === 'EACCES') {
    return new LocalGatewayError(`Port ${port} needs more rights: choose one above 1023 with PORT=<port>`);
  }
  return error;
}

/** Logs one line for each request: method, path without the query, status, time. Never headers or bodies. */
export function withAccessLog(listener: RequestListener, log: (line: string) => void): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const path = request.url?.split('?')[0];
      const status = response.headersSent ? response.statusCode : '-';
      const cut = response.writableFinished ? '' : ' (cut off)';
      log(`${request.method} ${path} ${status} ${Math.round(performance.now() - startedAt)} ms${cut}`);
    });
    listener(request, response);
  };
}

/** `null` for a body that is larger. It is read to its end all the same: a sender that still writes sees no answer. */
export async function readRequestBody(
  request: IncomingMessage,
  maximumBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maximumBytes) chunks.push(chunk);
  }
  return size > maximumBytes ? null : Buffer.concat(chunks);
}
