/**
 * Hosts one function: starts its process for the first invocation, ends it when it is idle, and enforces its timeout and
 * reserved concurrency.
 */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../local-gateway-error.ts';
import type { InvokedFunction, ServiceEvent } from '../service-event.ts';
import type { FunctionDefinition } from './definitions.ts';
import {
  drainEnvironment,
  type ExecutionEnvironment,
  endIdleEnvironment,
  startEnvironment,
  stopEnvironment,
} from './execution-environment.ts';
import type { FunctionLog } from './log.ts';
import { exitResult, type InvocationResult, reportLine, startLine } from './platform-lines.ts';
import type { FunctionError, InvocationOutcome } from './worker.ts';

export interface InvocationRequest {
  /** Event as JSON. */
  event: string;
  requestId?: string;
  qualifier?: string;
  signal?: AbortSignal;
  /** The age of the last record, if the event has records of a stream. */
  iteratorAgeMs?: number;
}

export interface HostedFunction {
  definition: FunctionDefinition;
  /** Starts the process ahead of the first invocation. Rejects when the handler cannot be loaded. */
  warmUp(): Promise<void>;
  /** Ids of the function's running processes. */
  processIds(): number[];
  /** Never rejects: errors are reported as a `failed` or `throttled` outcome. */
  invoke(request: InvocationRequest): Promise<InvocationOutcome>;
  stop(): Promise<void>;
}

interface HostSettings {
  /** Closed when the function is stopped. */
  log: FunctionLog;
  observe: (event: ServiceEvent) => void;
  /** How long the process may have no invocation before it ends, in milliseconds. */
  idleTimeoutMs: number;
}

interface Host extends HostSettings {
  definition: FunctionDefinition;
  /** Environment for the next invocation; `undefined` when a new one has to be started. */
  current: ExecutionEnvironment | undefined;
  /** The current environment, and draining ones that still run. */
  environments: Set<ExecutionEnvironment>;
  stopped: boolean;
}

export function hostFunction(definition: FunctionDefinition, settings: HostSettings): HostedFunction {
  const host: Host = {
    ...settings,
    definition,
    current: undefined,
    environments: new Set(),
    stopped: false,
  };
  return {
    definition,
    async warmUp() {
      await currentEnvironment(host).worker;
    },
    processIds: () => [...host.environments].flatMap(({ processId }) => processId() ?? []),
    invoke: (request) => invoke(host, request),
    async stop() {
      host.stopped = true;
      await Promise.all([...host.environments].map(stopEnvironment));
      settings.log.close();
    },
  };
}

function currentEnvironment(host: Host): ExecutionEnvironment {
  if (host.current !== undefined) return host.current;
  const { definition, log, idleTimeoutMs } = host;
  const environment = startEnvironment({
    definition,
    log,
    idleTimeoutMs,
    onIdle: (idle) => {
      detachEnvironment(host, idle);
      endIdleEnvironment(idle);
    },
    onEnd: (ended) => {
      host.environments.delete(ended);
      detachEnvironment(host, ended);
    },
  });
  host.environments.add(environment);
  host.current = environment;
  return environment;
}

/** Makes the next invocation start another environment. */
function detachEnvironment(host: Host, environment: ExecutionEnvironment): void {
  if (host.current === environment) host.current = undefined;
}

function replaceEnvironment(
  host: Host,
  { environment, requestId }: RunningInvocation,
  result: InvocationResult,
): void {
  detachEnvironment(host, environment);
  drainEnvironment(environment, { requestId, result });
}

interface RunningInvocation {
  environment: ExecutionEnvironment;
  requestId: string;
  invoked: InvokedFunction;
}

async function invoke(host: Host, request: InvocationRequest): Promise<InvocationOutcome> {
  const { event, requestId = randomUUID(), qualifier, signal, iteratorAgeMs } = request;
  if (host.stopped)
    return { kind: 'failed', error: { errorType: 'Stopped', errorMessage: 'The local run has stopped' } };
  const { definition, observe } = host;
  const invoked = { functionName: definition.functionName, qualifier };
  const concurrency = runningInvocations(host) + 1;
  if (concurrency > (definition.reservedConcurrency ?? Number.POSITIVE_INFINITY)) {
    observe({ kind: 'invocation throttled', invoked });
    return { kind: 'throttled' };
  }
  observe({ kind: 'invocation started', invoked, concurrency });
  if (iteratorAgeMs !== undefined)
    observe({ kind: 'records sent', functionName: definition.functionName, ageMs: iteratorAgeMs });
  const environment = currentEnvironment(host);
  const invocation = { environment, requestId, invoked };
  environment.running.set(requestId, (result) => report(host, invocation, { result, durationMs: 0 }));
  let timeout: AbortSignal | undefined;
  try {
    const worker = await environment.worker;
    // As on Lambda, the start of the process does not count towards the timeout.
    timeout = startTimer(host, invocation);
    return await worker.invoke({
      requestId,
      event,
      invokedFunctionArn: qualifier === undefined ? definition.arn : `${definition.arn}:${qualifier}`,
      deadlineMs: Date.now() + timeoutMsOf(definition),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    if (timeout?.aborted) return { kind: 'failed', error: timeoutError(definition) };
    // The process is exiting, but its exit event arrives later: the next invocation must not use it.
    if (!signal?.aborted) replaceEnvironment(host, invocation, exitResult);
    return { kind: 'failed', error: exitError(error) };
  }
}

/** An invocation counts until the function has ended, even after its caller has disconnected. */
function runningInvocations({ environments }: Host): number {
  return [...environments].reduce((sum, environment) => sum + environment.running.size, 0);
}

/** Returns a signal that is aborted on timeout. The environment clears the timer when the invocation ends. */
function startTimer(host: Host, invocation: RunningInvocation): AbortSignal {
  const { definition, log } = host;
  const { environment, requestId } = invocation;
  const startedMs = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
    replaceEnvironment(host, invocation, { status: 'timeout' });
  }, timeoutMsOf(definition));
  log.append(startLine(requestId, versionOf(definition)));
  environment.running.set(requestId, (result) => {
    clearTimeout(timer);
    report(host, invocation, { result, durationMs: performance.now() - startedMs });
  });
  return timeout.signal;
}

function report(
  { definition, log, observe }: Host,
  { environment, requestId, invoked }: RunningInvocation,
  { result, durationMs }: { result: InvocationResult; durationMs: number },
): void {
  const { initDurationMs, maxMemoryUsedMb } = environment;
  environment.initDurationMs = undefined;
  const memorySizeMb = definition.memoryMb;
  log.append(reportLine({ requestId, result, durationMs, memorySizeMb, maxMemoryUsedMb, initDurationMs }));
  observe({ kind: 'invocation ended', invoked, durationMs, isError: result.status !== 'success' });
}

function versionOf({ environment }: FunctionDefinition): string {
  return environment.AWS_LAMBDA_FUNCTION_VERSION ?? '$LATEST';
}

function timeoutMsOf({ timeoutSeconds }: FunctionDefinition): number {
  return timeoutSeconds * 1000;
}

function timeoutError({ timeoutSeconds }: FunctionDefinition): FunctionError {
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`,
  };
}

function exitError(error: unknown): FunctionError {
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: `The process of the function exited: ${messageOf(error)}`,
  };
}
