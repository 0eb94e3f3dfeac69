/**
 * Starts, invokes and kills the process that runs a function.
 *
 * The process listens on a Unix domain socket in a directory that only this user can access. An invocation is one HTTP
 * request with the event as its body. The response header `x-outcome` defines the response body: `returned` (the JSON
 * result), `streaming` (the handler's output, truncated when the handler fails) or `failed` (the error). HTTP provides
 * streaming with backpressure. An IPC message reports the end of an invocation, which may be long after its caller has
 * disconnected.
 *
 * TCP does not suit a process that may be too busy to accept connections: once its listen queue is full, Linux responds
 * with SYN cookies and later resets connections that have already sent data, as if the process had exited. With a Unix
 * domain socket the connection attempt itself fails before any data is sent, so it can be retried.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compileCacheVariable } from '#lib/cache-directory.mjs';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asString, isObject, parseJson } from '../untyped-json.ts';
import type { FunctionDefinition } from './definitions.ts';
import type { FunctionLog } from './log.ts';
import type { InvocationResult } from './platform-lines.ts';

export interface FunctionError {
  errorType: string;
  errorMessage: string;
}

export type InvocationOutcome = ExecutedInvocation | { kind: 'throttled' };

export type ExecutedInvocation =
  | { kind: 'returned'; payload: string }
  /**
   * An error of `body` means that the function failed after its first byte. Destroying `body` closes the function's
   * response stream.
   */
  | { kind: 'streaming'; contentType: string | undefined; body: Readable }
  | { kind: 'failed'; error: FunctionError };

interface Invocation {
  requestId: string;
  /** Event as JSON. */
  event: string;
  /** Includes the alias when the function is invoked through one. */
  invokedFunctionArn: string;
  deadlineMs: number;
  signal?: AbortSignal;
}

interface EndedInvocation {
  requestId: string;
  result: InvocationResult;
  /** The memory of the process. */
  memoryUsedMb: number;
}

/** Sent by the process. */
export type WorkerMessage =
  | { kind: 'ready'; memoryUsedMb: number }
  | { kind: 'failed to load'; message: string }
  /** `errorType` is that of the error which the handler threw; `null` when it succeeded. */
  | { kind: 'ended'; requestId: string; errorType: string | null; memoryUsedMb: number };

export interface Worker {
  /** The memory of the process after it has loaded the handler. */
  memoryUsedMb: number;
  /** Rejects when the process exits before the invocation ends, or when the signal is aborted. */
  invoke(invocation: Invocation): Promise<ExecutedInvocation>;
  kill(): void;
  readonly exited: Promise<void>;
}

const program = fileURLToPath(new URL('./process.mjs', import.meta.url));

const connectRetryMs = 250;

/** The maximum on macOS; that of Linux is four bytes more. */
const maxSocketPathBytes = 103;

/** Resolves when the handler is loaded; rejects when the process fails to start. */
export async function startWorker(settings: {
  definition: FunctionDefinition;
  log: FunctionLog;
  /** Called immediately, unless the process cannot be started. */
  onStart: (processId: number) => void;
  onInvocationEnd: (ended: EndedInvocation) => void;
}): Promise<Worker> {
  const { definition, log, onStart, onInvocationEnd } = settings;
  const socketPath = createSocketPath();
  const child = fork(program, {
    cwd: definition.codeDirectory,
    env: { ...definition.environment, ...compileCacheVariable(), LOCAL_WORKER_SOCKET: socketPath },
    execArgv: [],
    stdio: ['ignore', log.fileDescriptor, log.fileDescriptor, 'ipc'],
  });
  if (child.pid !== undefined) onStart(child.pid);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  exited.then(() => {
    rmSync(dirname(socketPath), { recursive: true, force: true });
    // Terminate an incomplete line of a killed process, so that the next line does not continue it.
    log.append('');
  });
  const memoryUsedMb = await waitUntilReady(child, definition.name);
  child.on('message', (message: WorkerMessage) => {
    if (message.kind !== 'ended') return;
    const { requestId, errorType } = message;
    const result: InvocationResult =
      errorType === null ? { status: 'success' } : { status: 'error', errorType };
    onInvocationEnd({ requestId, result, memoryUsedMb: message.memoryUsedMb });
  });
  const agent = new Agent({ keepAlive: true });
  exited.then(() => agent.destroy());
  return {
    memoryUsedMb,
    exited,
    kill: () => child.kill('SIGKILL'),
    invoke: (invocation) => invoke(invocation, { child, socketPath, agent }),
  };
}

/** Returns a path in a new directory. Operating systems limit its length, and `TMPDIR` may already be long. */
function createSocketPath(): string {
  const inDirectory = (directory: string) => join(directory, 'gateway-XXXXXX', 'socket');
  const isShortEnough = Buffer.byteLength(inDirectory(tmpdir())) <= maxSocketPathBytes;
  return join(mkdtempSync(join(isShortEnough ? tmpdir() : '/tmp', 'gateway-')), 'socket');
}

/** Resolves to the memory that the process uses, in megabytes. */
function waitUntilReady(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL');
      reject(new LocalGatewayError(`The function ${name} failed to start: ${reason}`));
    };
    child.once('exit', (code, signal) => fail(`its process exited with ${signal ?? `code ${code}`}`));
    child.once('error', (error) => fail(error.message));
    child.on('message', (message: WorkerMessage) => {
      if (message.kind === 'ready') resolve(message.memoryUsedMb);
      if (message.kind === 'failed to load') fail(message.message);
    });
  });
}

interface Connection {
  child: ChildProcess;
  socketPath: string;
  agent: Agent;
}

async function invoke(invocation: Invocation, connection: Connection): Promise<ExecutedInvocation> {
  const { child } = connection;
  for (;;) {
    try {
      return await readOutcome(await send(invocation, connection));
    } catch (error) {
      const hasExited = child.exitCode !== null || child.signalCode !== null;
      if (hasExited || !isConnectError(error)) throw error;
      await delay(connectRetryMs);
    }
  }
}

/** The socket's queue is full (EAGAIN on Linux, ECONNREFUSED on macOS), or the process is exiting. */
function isConnectError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}

function send(invocation: Invocation, { socketPath, agent }: Connection): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      socketPath,
      agent,
      method: 'POST',
      headers: {
        'x-request-id': invocation.requestId,
        'x-invoked-function-arn': invocation.invokedFunctionArn,
        'x-deadline-ms': String(invocation.deadlineMs),
        'content-length': String(Buffer.byteLength(invocation.event)),
      },
    });
    outgoing.once('response', resolve).once('error', reject);
    // Close only after the function has received the event: it then completes without its caller and reports its end.
    outgoing.end(invocation.event, () => closeOnAbort(outgoing, invocation.signal));
  });
}

function closeOnAbort(outgoing: ClientRequest, signal: AbortSignal | undefined): void {
  const close = () => outgoing.destroy();
  if (signal?.aborted) close();
  else signal?.addEventListener('abort', close, { once: true });
}

async function readOutcome(response: IncomingMessage): Promise<ExecutedInvocation> {
  const outcome = response.headers['x-outcome'];
  if (outcome === 'streaming') {
    return { kind: 'streaming', contentType: response.headers['content-type'], body: response };
  }
  const payload = await text(response);
  if (outcome === 'returned') return { kind: 'returned', payload };
  const error = parseJson(payload);
  const { errorType, errorMessage } = isObject(error) ? error : { errorType: 'Error', errorMessage: payload };
  return {
    kind: 'failed',
    error: {
      errorType: asString(errorType, 'errorType'),
      errorMessage: asString(errorMessage, 'errorMessage'),
    },
  };
}
