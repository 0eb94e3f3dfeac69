/** An entry to the chat core beside Lambda's: an HTTP server that handles many requests in one process. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatHandler } from '#lambdas/inference/chat/handler.ts';
import { maxRequestBytes } from '#lambdas/platform/http/payload-limits.ts';
import { bodyTooLarge, decodeBody } from '#lambdas/platform/http/request.ts';
import { createResponseSink } from '#lambdas/platform/http/response-sink.ts';

export interface HttpChatServer {
  origin: string;
  /** Ends requests whose callers have gone, closes the connections, and resolves when every handler is done. */
  shutDown(): Promise<void>;
}

const requestMs = 60_000;

export async function startHttpChatServer(handle: ChatHandler): Promise<HttpChatServer> {
  const shutdown = new AbortController();
  const handling = new Set<Promise<void>>();
  const server = createServer((incoming, outgoing) => {
    const handled = handle({
      request: {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers as Record<string, string | undefined>,
        readBody: () => readBody(incoming),
      },
      response: createResponseSink(outgoing, (status, headers) => outgoing.writeHead(status, headers)),
      deadlineMs: Date.now() + requestMs,
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
  const pieces: Buffer[] = [];
  let bytes = 0;
  // The response still needs the connection of a body that is too large.
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
    bytes += piece.length;
    if (bytes > maxRequestBytes) throw bodyTooLarge();
    pieces.push(piece);
  }
  return decodeBody(Buffer.concat(pieces));
}
