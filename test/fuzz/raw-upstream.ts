/** A provider on loopback that responds to each request with given bytes. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface RawResponse {
  chunks: Buffer[];
  ending: 'end' | 'reset' | 'hang';
}

export interface RawUpstream {
  baseUrl: string;
  response: RawResponse;
  closeConnections(): void;
  stop(): Promise<void>;
}

export async function startRawUpstream(): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    onRequest(socket, () => void send(socket, upstream.response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const upstream: RawUpstream = {
    baseUrl: `http://127.0.0.1:${address.port}`,
    response: { chunks: [], ending: 'end' },
    closeConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      upstream.closeConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
}

/** Calls `respond` when a complete request has arrived. */
function onRequest(socket: Socket, respond: () => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    const headEnd = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1'))?.[1] ?? 0);
    if (headEnd === -1 || received.length < headEnd + 4 + length) return;
    received = Buffer.alloc(0);
    respond();
  });
}

async function send(socket: Socket, { chunks, ending }: RawResponse): Promise<void> {
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => socket.write(chunk, () => resolve()));
  }
  if (ending === 'end') socket.end();
  if (ending === 'reset') socket.resetAndDestroy();
}
