/** A plain HTTP server as an entry point of the chat handler, with many requests in one process. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InferenceHandler } from '#lambdas/inference/handler.ts';
import { maxRequestBytes } from '#lambdas/platform/http/payload-limits.ts';
import { bodyTooLargeError, decodeBody } from '#lambdas/platform/http/request.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';

export interface HttpChatServer {
  origin: string;
  /** Aborts the requests, closes the connections, and resolves when every handler has ended. */
  shutDown(): Promise<void>;
}

const requestTimeoutMs = 60_000;

export async function startHttpChatServer(handle: InferenceHandler): Promise<HttpChatServer> {
  const shutdown = new AbortController();
  const handling = new Set<Promise<void>>();
  const server = createServer((incoming, outgoing) => {
    const handled = handle({
      request: {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers as Record<string, string | undefined>,
        readQuery: () => ({}),
        readBody: () => readBody(incoming),
      },
      response: createResponseSink(outgoing, (status, headers) => outgoing.writeHead(status, headers)),
      deadlineMs: Date.now() + requestTimeoutMs,
      signal: shutdown.signal,
    }).finally(() => handling.delete(handled));
    handling.add(handled);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async shutDown() {
      shutdown.abort();
      server.close();
      server.closeAllConnections();
      await Promise.all(handling);
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The response still needs the connection of a body that is too large.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxRequestBytes) throw bodyTooLargeError();
    chunks.push(chunk);
  }
  return decodeBody(Buffer.concat(chunks));
}
