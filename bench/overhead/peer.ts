/** The peer: Portkey's gateway from npm, installed beside the project, since it is none of its dependencies. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchProcess, ProcessUsage } from '../shared/bench-process.ts';

const version = '1.15.2';
const directory = join(tmpdir(), `bench-portkey-${version}`);
const program = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** With the newest versions of these, which it asks for, all of its streams end with status 500. */
const overrides = { hono: '4.9.7', '@hono/node-server': '1.13.8' };

export const peerName = `Portkey ${version}`;

/** `null` where it cannot be installed. */
export async function startPeer(): Promise<BenchProcess | null> {
  if (!existsSync(program) && !install()) return null;
  const port = await freePort();
  const child = spawn(process.execPath, [program, `--port=${port}`, '--headless'], { stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  await answers(origin, child);
  return {
    origin,
    pid: Number(child.pid),
    usage: async () => usageOf(Number(child.pid)),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What it wants to know of a request's provider. */
export function peerHeaders(upstream: string): Record<string, string> {
  return { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` };
}

function install(): boolean {
  mkdirSync(directory, { recursive: true });
  const dependencies = { '@portkey-ai/gateway': version };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  try {
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: directory,
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(origin: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    const reply = await fetch(origin).catch(() => null);
    if (reply?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The peer does not start');
}

/** By the kernel's account of the process, in ticks of 10 ms; on Linux alone. */
function usageOf(pid: number): ProcessUsage {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return {
    cpuMicros: (Number(fields[11]) + Number(fields[12])) * 10_000,
    rssBytes: kilobytes('VmRSS') * 1024,
    peakRssBytes: kilobytes('VmHWM') * 1024,
    counts: {},
  };
}
