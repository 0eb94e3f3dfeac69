/** A process that runs a function, and its running invocations. */
import type { FunctionDefinition } from './definitions.ts';
import type { FunctionLog } from './log.ts';
import { exitResult, type InvocationResult } from './platform-lines.ts';
import { startWorker, type Worker } from './worker.ts';

export interface ExecutionEnvironment {
  worker: Promise<Worker>;
  /** `undefined` when the process could not be started. */
  processId(): number | undefined;
  /** Callbacks for the ends of running invocations, by request id. */
  running: Map<string, (result: InvocationResult) => void>;
  /** Set when the process gets no more invocations and is killed after its last one. */
  draining: boolean;
  /** Restarted when no invocation is running any more. */
  idleTimer: NodeJS.Timeout;
  /** How long the process took to start; `undefined` once an invocation has reported it. */
  initDurationMs: number | undefined;
  maxMemoryUsedMb: number;
}

export function startEnvironment(settings: {
  definition: FunctionDefinition;
  log: FunctionLog;
  idleTimeoutMs: number;
  /** Called when the process has had no invocation for `idleTimeoutMs`. */
  onIdle: (environment: ExecutionEnvironment) => void;
  /** Called when the process has exited or failed to start. */
  onEnd: (environment: ExecutionEnvironment) => void;
}): ExecutionEnvironment {
  const { definition, log, idleTimeoutMs, onIdle, onEnd } = settings;
  const startedMs = performance.now();
  let processId: number | undefined;
  const environment: ExecutionEnvironment = {
    processId: () => processId,
    running: new Map(),
    draining: false,
    idleTimer: setTimeout(() => {
      if (environment.running.size === 0) onIdle(environment);
    }, idleTimeoutMs).unref(),
    initDurationMs: undefined,
    maxMemoryUsedMb: 0,
    worker: startWorker({
      definition,
      log,
      onStart: (id) => {
        processId = id;
      },
      onInvocationEnd: ({ requestId, result, memoryUsedMb }) => {
        environment.maxMemoryUsedMb = Math.max(environment.maxMemoryUsedMb, memoryUsedMb);
        endInvocation(environment, requestId, result);
      },
    }),
  };
  environment.worker.then(
    ({ memoryUsedMb }) => {
      environment.initDurationMs = performance.now() - startedMs;
      environment.maxMemoryUsedMb = memoryUsedMb;
    },
    () => {},
  );
  const discard = () => {
    clearTimeout(environment.idleTimer);
    onEnd(environment);
    for (const requestId of environment.running.keys()) endInvocation(environment, requestId, exitResult);
  };
  environment.worker.then((worker) => worker.exited).then(discard, discard);
  return environment;
}

/** Kills a process that gets no more invocations and has none running. */
export function endIdleEnvironment(environment: ExecutionEnvironment): void {
  environment.draining = true;
  killWorker(environment);
}

/**
 * Stops routing invocations to the process. Lambda kills the environment of an invocation that times out; here other
 * invocations may share the process, so it is killed when they have ended.
 */
export function drainEnvironment(
  environment: ExecutionEnvironment,
  failed: { requestId: string; result: InvocationResult },
): void {
  environment.draining = true;
  endInvocation(environment, failed.requestId, failed.result);
}

const graceMs = 1000;

/** Waits up to `graceMs` for running invocations, which may still write log entries, then kills the process. */
export async function stopEnvironment(environment: ExecutionEnvironment): Promise<void> {
  try {
    const worker = await environment.worker;
    environment.draining = true;
    if (environment.running.size === 0) worker.kill();
    const grace = setTimeout(worker.kill, graceMs);
    await worker.exited;
    clearTimeout(grace);
  } catch {
    // The process failed to start: nothing to stop.
  }
}

function endInvocation(environment: ExecutionEnvironment, requestId: string, result: InvocationResult): void {
  environment.running.get(requestId)?.(result);
  environment.running.delete(requestId);
  if (environment.running.size > 0) return;
  if (environment.draining) killWorker(environment);
  else environment.idleTimer.refresh();
}

function killWorker(environment: ExecutionEnvironment): void {
  environment.worker.then(
    (worker) => worker.kill(),
    () => {},
  );
}
