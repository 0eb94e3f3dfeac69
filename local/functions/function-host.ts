/** Runs one function: keeps a process for it, replaces it when it has ended, and holds invocations to their time. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../local-gateway-error.ts';
import {
  type ExecutionEnvironment,
  openEnvironment,
  retireEnvironment,
  stopEnvironment,
} from './execution-environment.ts';
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';
import type { FunctionError, InvocationOutcome } from './function-worker.ts';

export interface InvocationRequest {
  /** JSON. */
  event: string;
  requestId?: string;
  qualifier?: string;
  signal?: AbortSignal;
}

export interface HostedFunction {
  definition: FunctionDefinition;
  /** Starts the process, so that the first invocation need not wait for it. Rejects when the code does not load. */
  warmUp(): Promise<void>;
  /** Never rejects: whatever goes wrong is a `failed` or a `throttled` outcome. */
  invoke(request: InvocationRequest): Promise<InvocationOutcome>;
  stop(): Promise<void>;
}

interface Host {
  definition: FunctionDefinition;
  log: FunctionLog;
  /** Gets the next invocation; `undefined` when that needs a new one. */
  current: ExecutionEnvironment | undefined;
  /** The current one, and those that are retired and still run. */
  environments: Set<ExecutionEnvironment>;
  stopped: boolean;
}

/** Closes the log when it is stopped. */
export function hostFunction(definition: FunctionDefinition, log: FunctionLog): HostedFunction {
  const host: Host = { definition, log, current: undefined, environments: new Set(), stopped: false };
  return {
    definition,
    async warmUp() {
      await currentEnvironment(host).worker;
    },
    invoke: (request) => invoke(host, request),
    async stop() {
      host.stopped = true;
      await Promise.all([...host.environments].map(stopEnvironment));
      log.close();
    },
  };
}

function currentEnvironment(host: Host): ExecutionEnvironment {
  if (host.current !== undefined) return host.current;
  const { definition, log } = host;
  const environment = openEnvironment({
    definition,
    log,
    onEnd: (ended) => {
      host.environments.delete(ended);
      leaveEnvironment(host, ended);
    },
  });
  host.environments.add(environment);
  host.current = environment;
  return environment;
}

/** The next invocation gets another environment. */
function leaveEnvironment(host: Host, environment: ExecutionEnvironment): void {
  if (host.current === environment) host.current = undefined;
}

function giveUp(
  host: Host,
  { environment, requestId }: { environment: ExecutionEnvironment; requestId: string },
): void {
  leaveEnvironment(host, environment);
  retireEnvironment(environment, requestId);
}

async function invoke(host: Host, request: InvocationRequest): Promise<InvocationOutcome> {
  const { event, requestId = randomUUID(), qualifier, signal } = request;
  if (host.stopped)
    return { kind: 'failed', error: { errorType: 'Stopped', errorMessage: 'The local run has stopped' } };
  if (runsAsOftenAsItMay(host)) return { kind: 'throttled' };
  const { definition } = host;
  const environment = currentEnvironment(host);
  environment.running.set(requestId, () => {});
  let timeout: AbortSignal | undefined;
  try {
    const worker = await environment.worker;
    // As on Lambda, the start of the process does not count.
    timeout = startTimer(host, { environment, requestId });
    return await worker.invoke({
      requestId,
      event,
      invokedFunctionArn: qualifier === undefined ? definition.arn : `${definition.arn}:${qualifier}`,
      deadlineMs: Date.now() + timeoutMsOf(definition),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    if (timeout?.aborted) return { kind: 'failed', error: timedOut(definition) };
    // Its process is at its end, of which the system tells us later: the next invocation must not be sent there.
    if (!signal?.aborted) giveUp(host, { environment, requestId });
    return { kind: 'failed', error: processEnded(error) };
  }
}

/** An invocation counts until its function has ended, which may be after its caller has gone. */
function runsAsOftenAsItMay({ definition, environments }: Host): boolean {
  const running = [...environments].reduce((sum, environment) => sum + environment.running.size, 0);
  return running >= (definition.reservedConcurrency ?? Number.POSITIVE_INFINITY);
}

/** Until the environment ends the invocation. Returns what is aborted when its time is over. */
function startTimer(
  host: Host,
  invocation: { environment: ExecutionEnvironment; requestId: string },
): AbortSignal {
  const { definition, log } = host;
  const { environment, requestId } = invocation;
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    log.append(`${requestId} ${timedOut(definition).errorMessage}`);
    timeout.abort();
    giveUp(host, invocation);
  }, timeoutMsOf(definition));
  environment.running.set(requestId, () => clearTimeout(timer));
  return timeout.signal;
}

function timeoutMsOf({ timeoutSeconds }: FunctionDefinition): number {
  return timeoutSeconds * 1000;
}

function timedOut({ timeoutSeconds }: FunctionDefinition): FunctionError {
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`,
  };
}

function processEnded(error: unknown): FunctionError {
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: `The function's process ended: ${messageOf(error)}`,
  };
}
