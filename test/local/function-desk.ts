/** Where the fixture's functions ask the test what to do: each asking waits for an answer. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Asking<Message> {
  message: Message;
  answer(body?: unknown): void;
}

export interface FunctionDesk<Message> {
  url: string;
  /** The next one that was not taken yet, when it is there. */
  take(): Promise<Asking<Message>>;
  /** How many wait to be taken. */
  waiting(): number;
  stop(): Promise<void>;
}

export async function openFunctionDesk<Message>(): Promise<FunctionDesk<Message>> {
  const askings: Asking<Message>[] = [];
  const takers: ((asking: Asking<Message>) => void)[] = [];
  const server = createServer(async (request, response) => {
    const asking = {
      message: JSON.parse(await text(request)),
      answer: (body: unknown = {}) => void response.end(JSON.stringify(body)),
    };
    const taker = takers.shift();
    if (taker === undefined) askings.push(asking);
    else taker(asking);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const asking = askings.shift();
      return asking === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(asking);
    },
    waiting: () => askings.length,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
