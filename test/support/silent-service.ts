/** A service that takes requests and never answers, or not as it should, for clients whose time-outs should not be waited for. */
import { createServer } from 'node:http';
import { vi } from 'vitest';
import { listen } from './listen.ts';

export interface SilentService {
  endpoint: string;
  /** How many requests it has had. */
  requests(): number;
  stop(): Promise<void>;
}

export interface SilentBehaviour {
  /** An answer, which then does not go on. */
  begins?: boolean;
  /** To another protocol, unasked: Node then closes the connection without an error. */
  upgrades?: boolean;
}

/** Until it is stopped, timers of this process run ten times as fast, and `Date.now()` begins at 0. */
export async function startSilentService({ begins, upgrades }: SilentBehaviour = {}): Promise<SilentService> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    if (begins) response.writeHead(200, { 'content-length': 100 }).write('{"TableNames":');
    if (upgrades) response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end();
  });
  const { address, stop } = await listen(server);
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const clock = setInterval(() => vi.advanceTimersByTime(10), 1);
  return {
    endpoint: `http://${address}`,
    requests: () => requests,
    async stop() {
      clearInterval(clock);
      vi.useRealTimers();
      await stop();
    },
  };
}
