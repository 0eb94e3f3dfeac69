/**
 * One process that runs a function: started, spoken to, stopped.
 *
 * The process listens on a loopback port that it tells over IPC; a random token keeps others out. An invocation is
 * one HTTP request: the event is its body, `x-outcome` of the answer says what its body is (`returned`: the JSON
 * result; `streaming`: what the handler writes, cut off when it fails; `failed`: the error). That gives streams with
 * backpressure in both directions. IPC also says when an invocation has ended, which it does on its own time when
 * its caller has gone away.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { asText, isObject, parseJson } from '../untyped-json.ts';
import type { FunctionDefinition } from './function-definitions.ts';
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

/** Resolves once the handler is loaded. */
export async function startWorker(settings: {
  definition: FunctionDefinition;
  onOutput: (line: string) => void;
  onInvocationEnd: (requestId: string) => void;
}): Promise<Worker> {
  const { definition, onOutput, onInvocationEnd } = settings;
  const token = randomBytes(16).toString('hex');
  const child = fork(program, {
    cwd: definition.codeDirectory,
    env: { ...definition.environment, LOCAL_WORKER_TOKEN: token },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  forwardLines(child, onOutput);
  const port = await waitUntilReady(child, definition.name);
  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ended') onInvocationEnd(message.requestId);
  });
  const agent = new Agent({ keepAlive: true });
  exited.then(() => agent.destroy());
  return {
    exited,
    kill: () => child.kill('SIGKILL'),
    invoke: (invocation) => send({ invocation, port, token, agent }),
  };
}

function waitUntilReady(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL');
      reject(new LocalGatewayError(`The function ${name} does not start: ${reason}`));
    };
    child.once('exit', (code, signal) => fail(`its process ended with ${signal ?? code}`));
    child.once('error', (error) => fail(error.message));
    child.on('message', (message: WorkerMessage) => {
      if (message.kind === 'ready') resolve(message.port);
      if (message.kind === 'failed to load') fail(message.message);
    });
  });
}

function forwardLines(child: ChildProcess, onOutput: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', onOutput);
  }
}

async function send(request: {
  invocation: Invocation;
  port: number;
  token: string;
  agent: Agent;
}): Promise<AnsweredInvocation> {
  const { invocation, port, token, agent } = request;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      agent,
      method: 'POST',
      headers: {
        'x-worker-token': token,
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
  return readOutcome(response);
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
