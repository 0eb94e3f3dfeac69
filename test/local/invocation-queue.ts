/** Collects calls from the fixture functions to the test; each call waits for the test's response. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PendingCall<Message> {
  message: Message;
  respond(body?: unknown): void;
}

export interface InvocationQueue<Message> {
  url: string;
  next(): Promise<PendingCall<Message>>;
  /** Number of calls that `next` has not returned yet. */
  pendingCount(): number;
  stop(): Promise<void>;
}

export async function startInvocationQueue<Message>(): Promise<InvocationQueue<Message>> {
  const pending: PendingCall<Message>[] = [];
  const waiters: ((call: PendingCall<Message>) => void)[] = [];
  const server = createServer(async (request, response) => {
    const call = {
      message: JSON.parse(await text(request)),
      respond: (body: unknown = {}) => void response.end(JSON.stringify(body)),
    };
    const waiter = waiters.shift();
    if (waiter === undefined) pending.push(call);
    else waiter(call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next() {
      const call = pending.shift();
      return call === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(call);
    },
    pendingCount: () => pending.length,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
