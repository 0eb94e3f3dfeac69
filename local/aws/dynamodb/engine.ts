/** Starts the embedded DynamoDB engine, or uses the DynamoDB endpoint of the environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { LocalGatewayError } from '#local/local-gateway-error.ts';

export interface Engine {
  /** Without a trailing slash. */
  endpoint: string;
  /** Leader of a process group of its own; `undefined` for an engine that was started elsewhere. */
  processId: number | undefined;
  /** Stops the engine from keeping this process alive. The engine ends when this process exits. */
  unref(): void;
  stop(): Promise<void>;
}

const startTimeoutMs = 5000;

/**
 * Runs the engine so that it cannot outlive this process, even when this process is killed: a background shell kills the
 * engine on end of file on descriptor 3, whose other end closes with this process. `$$` is the id of the engine, which
 * replaces the shell. POSIX alone, because `sh` differs between systems.
 */
const supervisorScript = '(read -r line <&3; kill "$$" 2>/dev/null) & exec "$@" 3<&-';

/** Keeps the data in memory when `databasePath` is `undefined`. */
export async function startEngine(settings: {
  databasePath: string | undefined;
  environment: NodeJS.ProcessEnv;
  onUnexpectedExit: () => void;
}): Promise<Engine> {
  const external = settings.environment.AWS_ENDPOINT_URL_DYNAMODB;
  if (external) {
    const endpoint = external.replace(/\/+$/, '');
    return { endpoint, processId: undefined, unref: () => {}, stop: async () => {} };
  }
  const child = await startProcess(findExecutable(), settings.databasePath);
  child.process.once('exit', settings.onUnexpectedExit);
  return {
    endpoint: child.endpoint,
    processId: child.process.pid,
    unref: () => unrefProcess(child.process),
    stop() {
      child.process.off('exit', settings.onUnexpectedExit);
      return stopProcess(child.process);
    },
  };
}

/** Retries with another port, because another program may bind the free port before the engine does. */
async function startProcess(program: string, databasePath: string | undefined) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const programArguments = ['serve', '--host', '127.0.0.1', '--port', String(port)];
    if (databasePath !== undefined) programArguments.push('--db-path', databasePath);
    // Detached: Ctrl-C in the terminal must not stop the engine before the functions, which may still write to it.
    const child = spawn('sh', ['-c', supervisorScript, 'sh', program, ...programArguments], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const failure = await waitUntilListening(child);
    if (failure === null) return { process: child, endpoint: `http://127.0.0.1:${port}` };
    closePipes(child);
    if (attempt === 3) throw new LocalGatewayError(`The embedded DynamoDB failed to start: ${failure}`);
  }
}

function findExecutable(): string {
  const packageName = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/dynoxide`);
  } catch {
    throw new LocalGatewayError(
      `The embedded DynamoDB (npm package ${packageName}) is not installed: run "npm ci", or start DynamoDB Local and set AWS_ENDPOINT_URL_DYNAMODB to its endpoint`,
    );
  }
}

/** Resolves to `null` when the engine listens, otherwise to the reason for the failure. */
function waitUntilListening(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let printed = '';
    const settle = (failure: string | null) => {
      clearTimeout(timer);
      child.off('exit', onExit);
      if (failure !== null) child.kill('SIGKILL');
      resolve(failure);
    };
    const onExit = () => settle(printed.trim().split('\n').at(-1) || 'it exited immediately');
    const timer = setTimeout(
      () => settle(`it does not listen after ${startTimeoutMs / 1000} seconds`),
      startTimeoutMs,
    );
    child.once('exit', onExit);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk;
        if (printed.includes('listening on')) settle(null);
      });
    }
  });
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 2000);
  await exited;
  clearTimeout(killTimer);
  closePipes(child);
}

function unrefProcess(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
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
