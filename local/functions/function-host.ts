/** Runs one function: keeps a process for it, replaces it when it has ended, and holds invocations to their time. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../local-gateway-error.ts';
import type { FunctionDefinition } from './function-definitions.ts';
import { type FunctionError, type InvocationOutcome, startWorker, type Worker } from './function-worker.ts';

export interface HostedFunction {
  definition: FunctionDefinition;
  /** Starts the process, so that the first invocation need not wait for it. Rejects when the code does not load. */
  warmUp(): Promise<void>;
  /** Never rejects: whatever goes wrong is a `failed` outcome. */
  invoke(request: {
    event: string;
    requestId?: string;
    qualifier?: string;
    signal?: AbortSignal;
  }): Promise<InvocationOutcome>;
  stop(): Promise<void>;
}

/** A process with the invocations that it runs. */
interface Environment {
  worker: Promise<Worker>;
  /** Ends the invocation's timer. By request id. */
  running: Map<string, () => void>;
  /** No longer given invocations; killed with its last one. */
  retired: boolean;
}

export function hostFunction(
  definition: FunctionDefinition,
  onOutput: (line: string) => void,
): HostedFunction {
  let current: Environment | undefined;
  const environments = new Set<Environment>();
  let stopped = false;

  function startEnvironment(): Environment {
    const running = new Map<string, () => void>();
    const environment: Environment = {
      running,
      retired: false,
      worker: startWorker({
        definition,
        onOutput,
        onInvocationEnd: (requestId) => endInvocation(environment, requestId),
      }),
    };
    environments.add(environment);
    const discard = () => {
      environments.delete(environment);
      if (current === environment) current = undefined;
      for (const requestId of running.keys()) endInvocation(environment, requestId);
    };
    environment.worker.then((worker) => worker.exited).then(discard, discard);
    current = environment;
    return environment;
  }

  function endInvocation(environment: Environment, requestId: string): void {
    environment.running.get(requestId)?.();
    environment.running.delete(requestId);
    if (environment.retired && environment.running.size === 0) killWorker(environment);
  }

  /**
   * Lambda kills the environment of an invocation that has run out of time. Here other invocations may share its
   * process, so it is killed when they have ended.
   */
  function retire(environment: Environment, requestId: string): void {
    environment.retired = true;
    if (current === environment) current = undefined;
    endInvocation(environment, requestId);
  }

  async function invoke(request: Parameters<HostedFunction['invoke']>[0]): Promise<InvocationOutcome> {
    const { event, requestId = randomUUID(), qualifier, signal } = request;
    if (stopped)
      return { kind: 'failed', error: { errorType: 'Stopped', errorMessage: 'The local run has stopped' } };
    const environment = current ?? startEnvironment();
    const timeoutMs = definition.timeoutSeconds * 1000;
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      onOutput(`${requestId} Task timed out after ${definition.timeoutSeconds.toFixed(2)} seconds`);
      timeout.abort();
      retire(environment, requestId);
    }, timeoutMs);
    environment.running.set(requestId, () => clearTimeout(timer));
    try {
      const worker = await environment.worker;
      const outcome = await worker.invoke({
        requestId,
        event,
        invokedFunctionArn: qualifier === undefined ? definition.arn : `${definition.arn}:${qualifier}`,
        deadlineMs: Date.now() + timeoutMs,
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      });
      return outcome;
    } catch (error) {
      return { kind: 'failed', error: explainFailure(error, timeout.signal.aborted, definition) };
    }
  }

  return {
    definition,
    async warmUp() {
      await (current ?? startEnvironment()).worker;
    },
    invoke,
    async stop() {
      stopped = true;
      await Promise.all([...environments].map(stopEnvironment));
    },
  };
}

async function stopEnvironment(environment: Environment): Promise<void> {
  try {
    const worker = await environment.worker;
    worker.kill();
    await worker.exited;
  } catch {
    // It did not start, so there is nothing to stop.
  }
}

function killWorker(environment: Environment): void {
  environment.worker.then(
    (worker) => worker.kill(),
    () => {},
  );
}

function explainFailure(error: unknown, timedOut: boolean, definition: FunctionDefinition): FunctionError {
  if (timedOut) {
    const seconds = definition.timeoutSeconds.toFixed(2);
    return { errorType: 'Sandbox.Timedout', errorMessage: `Task timed out after ${seconds} seconds` };
  }
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: `The function's process ended: ${messageOf(error)}`,
  };
}
