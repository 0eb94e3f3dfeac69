/** Starts the processes of a benchmark. Each party runs in a separate process, which isolates its CPU time and memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

export interface ProcessUsage {
  /** User and system time. */
  cpuMicros: number;
  rssBytes: number;
  peakRssBytes: number;
  counts: Record<string, number>;
}

export interface BenchProcess {
  /** `http://127.0.0.1:<port>`, or `https:` with TLS. */
  origin: string;
  pid: number;
  usage(): Promise<ProcessUsage>;
  stop(): Promise<void>;
}

const benchFolder = join(import.meta.dirname, '..');

let rootDirectory: string | undefined;

/** Creates a directory that is deleted when this process exits. */
export function createBuildDirectory(): string {
  rootDirectory ??= createRootDirectory();
  return mkdtempSync(join(rootDirectory, 'build-'));
}

function createRootDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Compiles a program in `bench/` and returns the path of the JavaScript file. Node's type stripping would add to the
 * memory of the measured processes.
 */
export function compile(program: string): string {
  const outfile = join(createBuildDirectory(), basename(program).replace(/\.ts$/, '.mjs'));
  buildSync({
    entryPoints: [join(benchFolder, program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
  });
  return outfile;
}

export async function startProcess(
  program: string,
  environment: Record<string, string> = {},
  nodeFlags: string[] = [],
): Promise<BenchProcess> {
  const child = fork(compile(program), {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: nodeFlags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const port = Number(await nextMessage(child, program));
  return {
    origin: `${environment.TLS_KEY ? 'https' : 'http'}://127.0.0.1:${port}`,
    pid: Number(child.pid),
    async usage() {
      child.send('usage');
      return (await nextMessage(child, program)) as ProcessUsage;
    },
    stop: () => kill(child),
  };
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function nextMessage(child: ChildProcess, program: string): Promise<unknown> {
  const exited = new AbortController();
  const abort = () => exited.abort(new Error(`${program} exited unexpectedly`));
  child.once('exit', abort);
  try {
    const [message] = await once(child, 'message', { signal: exited.signal });
    return message;
  } finally {
    child.off('exit', abort);
  }
}
