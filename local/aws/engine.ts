/** The DynamoDB that the local run works on: the embedded engine, or the one that the environment names. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { LocalGatewayError } from '../local-gateway-error.ts';

export interface Engine {
  /** Without a trailing slash. */
  endpoint: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 5000;

/**
 * Runs the engine's program, which must not outlive this process however it ends: a background shell waits for the
 * end of file on descriptor 3, whose other end closes with this process, and then ends the program.
 */
const guardedRun = '(read -r _ <&3; kill "$$" 2>/dev/null) & exec "$@" 3<&-';

/** `databasePath` undefined keeps the data in memory. */
export async function startEngine(settings: {
  databasePath: string | undefined;
  environment: NodeJS.ProcessEnv;
  /** Told when the program ends before it is stopped. */
  onUnexpectedExit: () => void;
}): Promise<Engine> {
  const external = settings.environment.AWS_ENDPOINT_URL_DYNAMODB;
  if (external) return { endpoint: external.replace(/\/+$/, ''), stop: async () => {} };
  const child = await startProgram(findProgram(), settings.databasePath);
  child.process.once('exit', settings.onUnexpectedExit);
  return {
    endpoint: child.endpoint,
    stop() {
      child.process.off('exit', settings.onUnexpectedExit);
      return stopProgram(child.process);
    },
  };
}

/** Between finding a free port and binding it, another program may take it: then another port is tried. */
async function startProgram(program: string, databasePath: string | undefined) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const programArguments = ['serve', '--host', '127.0.0.1', '--port', String(port)];
    if (databasePath !== undefined) programArguments.push('--db-path', databasePath);
    // Detached, so that Ctrl-C in the terminal does not end it before the functions that still write to it.
    const child = spawn('sh', ['-c', guardedRun, 'sh', program, ...programArguments], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const failure = await untilListening(child);
    if (failure === null) return { process: child, endpoint: `http://127.0.0.1:${port}` };
    closePipes(child);
    if (attempt === 3) throw new LocalGatewayError(`The embedded DynamoDB does not start: ${failure}`);
  }
}

function findProgram(): string {
  const packageName = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/dynoxide`);
  } catch {
    throw new LocalGatewayError(
      `The embedded DynamoDB (npm package ${packageName}) is not installed here: run "npm ci", or start DynamoDB Local yourself and set AWS_ENDPOINT_URL_DYNAMODB to its address`,
    );
  }
}

/** Resolves to `null` when it listens, else to the reason why it does not. */
function untilListening(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let printed = '';
    const settle = (failure: string | null) => {
      clearTimeout(timer);
      child.off('exit', onExit);
      if (failure !== null) child.kill('SIGKILL');
      resolve(failure);
    };
    const onExit = () => settle(printed.trim().split('\n').at(-1) || 'it ended at once');
    const timer = setTimeout(() => settle('it does not answer'), startTimeoutMs);
    child.once('exit', onExit);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk;
        if (printed.includes('listening on')) settle(null);
      });
    }
  });
}

async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 2000);
  await exited;
  clearTimeout(killTimer);
  closePipes(child);
}

function closePipes(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
