/** A provider on loopback that answers each request with the bytes that it was given, whatever they are. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface RawAnswer {
  pieces: Buffer[];
  /** What happens after the last piece. */
  ending: 'end' | 'reset' | 'hang';
}

export interface RawUpstream {
  baseUrl: string;
  /** What is sent from now on. */
  answer: RawAnswer;
  /** Ends every connection, as those that hang would never do by themselves. */
  hangUp(): void;
  stop(): Promise<void>;
}

export async function startRawUpstream(): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    whenAsked(socket, () => void send(socket, upstream.answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  const upstream: RawUpstream = {
    baseUrl: `http://127.0.0.1:${address.port}`,
    answer: { pieces: [], ending: 'end' },
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      upstream.hangUp();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
}

/** Calls back when the whole of a request has come. */
function whenAsked(socket: Socket, answer: () => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    const headEnd = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1'))?.[1] ?? 0);
    if (headEnd === -1 || received.length < headEnd + 4 + length) return;
    received = Buffer.alloc(0);
    answer();
  });
}

async function send(socket: Socket, { pieces, ending }: RawAnswer): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
  if (ending === 'end') socket.end();
  if (ending === 'reset') socket.resetAndDestroy();
}
