/** A process that runs a function, with the invocations that are under way in it. */
import type { FunctionDefinition } from './function-definitions.ts';
import type { FunctionLog } from './function-log.ts';
import { startWorker, type Worker } from './function-worker.ts';

export interface ExecutionEnvironment {
  worker: Promise<Worker>;
  /** Ends the invocation's timer. By request id. */
  running: Map<string, () => void>;
  /** No longer given invocations; killed with its last one. */
  retired: boolean;
}

export function openEnvironment(settings: {
  definition: FunctionDefinition;
  log: FunctionLog;
  /** Called when the process has ended, or could not start. */
  onEnd: (environment: ExecutionEnvironment) => void;
}): ExecutionEnvironment {
  const { definition, log, onEnd } = settings;
  const environment: ExecutionEnvironment = {
    running: new Map(),
    retired: false,
    worker: startWorker({
      definition,
      log,
      onInvocationEnd: (requestId) => endInvocation(environment, requestId),
    }),
  };
  const discard = () => {
    onEnd(environment);
    for (const requestId of environment.running.keys()) endInvocation(environment, requestId);
  };
  environment.worker.then((worker) => worker.exited).then(discard, discard);
  return environment;
}

/**
 * Lambda kills the environment of an invocation that has run out of time. Here other invocations may share its
 * process, so it is killed when they have ended.
 */
export function retireEnvironment(environment: ExecutionEnvironment, givenUpRequestId: string): void {
  environment.retired = true;
  endInvocation(environment, givenUpRequestId);
}

/** How long invocations that are under way may take to end when the local run stops. */
const graceMs = 1000;

/** Resolves when the process has ended: with its last invocation, which may have a log entry to write. */
export async function stopEnvironment(environment: ExecutionEnvironment): Promise<void> {
  try {
    const worker = await environment.worker;
    environment.retired = true;
    if (environment.running.size === 0) worker.kill();
    const grace = setTimeout(worker.kill, graceMs);
    await worker.exited;
    clearTimeout(grace);
  } catch {
    // It did not start, so there is nothing to stop.
  }
}

function endInvocation(environment: ExecutionEnvironment, requestId: string): void {
  environment.running.get(requestId)?.();
  environment.running.delete(requestId);
  if (environment.retired && environment.running.size === 0) killWorker(environment);
}

function killWorker(environment: ExecutionEnvironment): void {
  environment.worker.then(
    (worker) => worker.kill(),
    () => {},
  );
}
