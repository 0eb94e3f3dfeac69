/** A service that never completes a response, with accelerated timers, so that timeouts can be tested quickly. */
import { createServer } from 'node:http';
import { vi } from 'vitest';
import { listen } from './listen.ts';

interface SilentService {
  endpoint: string;
  requests(): number;
  stop(): Promise<void>;
}

interface SilentBehaviour {
  /** Sends the beginning of a response. */
  begins?: boolean;
  /** Switches protocols although the client did not ask. Node then closes the connection without an error. */
  upgrades?: boolean;
}

/** Until it is stopped, timers of this process run ten times as fast, and `Date.now()` starts at 0. */
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
