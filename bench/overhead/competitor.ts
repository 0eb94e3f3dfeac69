/** Competitor: Portkey's gateway, installed from npm into a temporary directory, so that it is not a dependency. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchProcess, kill, type ProcessUsage } from '../harness/process.ts';

const version = '1.15.2';
const directory = join(tmpdir(), `bench-portkey-${version}`);
const program = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** Pins packages for which the competitor allows newer versions: with those, all of its streams fail with status 500. */
const overrides = { hono: '4.9.7', '@hono/node-server': '1.13.8' };

export const competitorName = `Portkey ${version}`;

/** Resolves to `null` when the installation fails. */
export async function startCompetitor(): Promise<BenchProcess | null> {
  if (!existsSync(program) && !install()) return null;
  const port = await freePort();
  const child = spawn(process.execPath, [program, `--port=${port}`, '--headless'], { stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(origin, child);
  const pid = Number(child.pid);
  return { origin, pid, usage: async () => readUsage(pid), stop: () => kill(child) };
}

export function competitorHeaders(upstream: string): Record<string, string> {
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

async function waitUntilReady(origin: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt += 1) {
    const response = await fetch(origin).catch(() => null);
    if (response?.ok) return;
    await wait(100);
  }
  throw new Error(`${competitorName} did not become ready within 10 seconds`);
}

/** Reads the process's usage from `/proc`, which counts CPU time in ticks of 10 ms. Linux only. */
function readUsage(pid: number): ProcessUsage {
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
