/** A process of a bench: started, asked what it has used, ended. Each part has its own, so that its cost is its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** As the process itself counts it. */
export interface ProcessUsage {
  /** User and system, microseconds. */
  cpuMicros: number;
  rssBytes: number;
  /** The highest so far. */
  peakRssBytes: number;
  /** What only this program counts. */
  counts: Record<string, number>;
}

export interface BenchProcess {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  pid: number;
  usage(): Promise<ProcessUsage>;
  stop(): Promise<void>;
}

const folder = join(import.meta.dirname, '..');

/** `program` is a file under `bench/` that calls `serve`. */
export async function startBenchProcess(
  program: string,
  environment: Record<string, string> = {},
  execArgv: string[] = [],
): Promise<BenchProcess> {
  const child = fork(join(folder, program), {
    env: { PATH: process.env.PATH, ...environment },
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const port = Number(await nextMessage(child, program));
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: Number(child.pid),
    async usage() {
      child.send('usage');
      return (await nextMessage(child, program)) as ProcessUsage;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function nextMessage(child: ChildProcess, program: string): Promise<unknown> {
  const ended = new AbortController();
  const fail = () => ended.abort(new Error(`${program} has ended`));
  child.once('exit', fail);
  try {
    const [message] = await once(child, 'message', { signal: ended.signal });
    return message;
  } finally {
    child.off('exit', fail);
  }
}

/** What a program does: listens on a free loopback port, tells it, and answers when it is asked what it has used. */
export function serve(listener: RequestListener, counts: Record<string, number> = {}): void {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => process.send?.(readUsage(counts)));
  process.once('disconnect', () => process.exit());
}

function readUsage(counts: Record<string, number>): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return {
    cpuMicros: user + system,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    counts,
  };
}
