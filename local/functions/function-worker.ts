/**
 * Starts the process that runs a function, invokes it and stops it.
 *
 * The process listens on a Unix domain socket in a directory that only this user may enter. An invocation is one HTTP
 * request: the event is its body, and `x-outcome` of the response says what the response's body is (`returned`: the JSON
 * result; `streaming`: what the handler writes, cut off when it fails; `failed`: the error). That gives streams with
 * backpressure in both directions. An IPC message reports the end of an invocation, which may be long after its caller
 * has left.
 *
 * TCP does not suit a process that may be too busy to accept connections: once its listen queue is full, Linux answers
 * with SYN cookies and then resets connections that have already sent data, as if the process had ended. On a Unix domain
 * socket the connection attempt itself fails, before anything was sent, so it can be repeated.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asText, isObject, parseJson } from '../untyped-json.ts';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';
import type { WorkerMessage } from './function-process.ts';

export interface FunctionError {
  errorType: string;
  errorMessage: string;
}

export type InvocationOutcome =
  | AnsweredInvocation
  /** The function runs as often as it may, so it was not run. */
  | { kind: 'throttled' };

export type AnsweredInvocation =
  | { kind: 'returned'; payload: string }
  /** An error on the body means that the function failed after its first byte. Destroying it tells the function. */
  | { kind: 'streaming'; contentType: string | undefined; body: Readable }
  | { kind: 'failed'; error: FunctionError };

export interface Invocation {
  requestId: string;
  /** JSON. */
  event: string;
  /** With the alias, when it was invoked through one. */
  invokedFunctionArn: string;
  deadlineMs: number;
  /** Aborted when the caller goes away. */
  signal?: AbortSignal;
}

export interface Worker {
  /** Rejects when the process ends before the invocation does, or when the signal is aborted. */
  invoke(invocation: Invocation): Promise<AnsweredInvocation>;
  kill(): void;
  readonly exited: Promise<void>;
}

const program = join(import.meta.dirname, 'function-process.ts');

const connectRetryMs = 250;

/** Resolves once the handler is loaded. */
export async function startWorker(settings: {
  definition: FunctionDefinition;
  log: FunctionLog;
  onInvocationEnd: (requestId: string) => void;
}): Promise<Worker> {
  const { definition, log, onInvocationEnd } = settings;
  const socketDirectory = mkdtempSync(join(tmpdir(), 'gateway-function-'));
  const socketPath = join(socketDirectory, 'socket');
  const child = fork(program, {
    cwd: definition.codeDirectory,
    env: { ...definition.environment, LOCAL_WORKER_SOCKET: socketPath },
    execArgv: [],
    stdio: ['ignore', log.fileDescriptor, log.fileDescriptor, 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  exited.then(() => {
    rmSync(socketDirectory, { recursive: true, force: true });
    // A process that was killed may have left half a line, which the next line must not continue.
    log.append('');
  });
  await waitUntilReady(child, definition.name);
  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ended') onInvocationEnd(message.requestId);
  });
  const agent = new Agent({ keepAlive: true });
  exited.then(() => agent.destroy());
  return {
    exited,
    kill: () => child.kill('SIGKILL'),
    invoke: (invocation) => invoke(invocation, { child, socketPath, agent }),
  };
}

function waitUntilReady(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL');
      reject(new LocalGatewayError(`The function ${name} does not start: ${reason}`));
    };
    child.once('exit', (code, signal) => fail(`its process ended with ${signal ?? code}`));
    child.once('error', (error) => fail(error.message));
    child.on('message', (message: WorkerMessage) => {
      if (message.kind === 'ready') resolve();
      if (message.kind === 'failed to load') fail(message.message);
    });
  });
}

interface Connection {
  child: ChildProcess;
  socketPath: string;
  agent: Agent;
}

async function invoke(invocation: Invocation, connection: Connection): Promise<AnsweredInvocation> {
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

/** The socket's queue is full (EAGAIN on Linux, ECONNREFUSED on macOS), or the process is about to be reported as ended. */
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
    // Not before the function has the event: once invoked, it goes on without its caller, and says when it has ended.
    outgoing.end(invocation.event, () => closeOnAbort(outgoing, invocation.signal));
  });
}

function closeOnAbort(outgoing: ClientRequest, signal: AbortSignal | undefined): void {
  const close = () => outgoing.destroy();
  if (signal?.aborted) close();
  else signal?.addEventListener('abort', close, { once: true });
}

async function readOutcome(response: IncomingMessage): Promise<AnsweredInvocation> {
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
    error: { errorType: asText(errorType, 'errorType'), errorMessage: asText(errorMessage, 'errorMessage') },
  };
}
