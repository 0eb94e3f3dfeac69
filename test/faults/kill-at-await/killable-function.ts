/** Runs a function of the gateway in a separate process that is killed at a given await. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openFunctionLog } from '#local/functions/log.ts';
import { startWorker } from '#local/functions/worker.ts';
import type { EnvironmentVariables, FaultFixture } from '../support/fault-fixture.ts';

export interface KillableFunction {
  /** Resolves when the invocation or the process has ended. */
  invoke(event: object): Promise<void>;
  /** Returns the number of promise continuations, or `undefined` when the process was killed before the end. */
  continuations(): number | undefined;
  stop(): Promise<void>;
}

/** Returns the environment of a function. */
export function readFunctionEnvironment(
  fixture: FaultFixture,
  partOfFunctionName: string,
): EnvironmentVariables {
  const variables = fixture.functionEnvironments.find(({ AWS_LAMBDA_FUNCTION_NAME = '' }) =>
    AWS_LAMBDA_FUNCTION_NAME.includes(partOfFunctionName),
  );
  if (variables === undefined) throw new Error(`No function name contains ${partOfFunctionName}`);
  return variables;
}

export async function startKillableFunction(settings: {
  environment: EnvironmentVariables;
  /** The number of the continuation. Omit it to run without a kill. */
  killAt?: number;
  onLine: (line: string) => void;
}): Promise<KillableFunction> {
  const { environment, killAt, onLine } = settings;
  const preload = join(import.meta.dirname, 'preload.ts');
  let continuations: number | undefined;
  const logDirectory = mkdtempSync(join(tmpdir(), 'killable-function-'));
  const log = openFunctionLog(join(logDirectory, 'function.log'), (line) => {
    const counted = /^\{"event":"continuations","continuations":(\d+)\}$/.exec(line);
    if (counted === null) onLine(line);
    else continuations = Number(counted[1]);
  });
  const worker = await startWorker({
    definition: {
      logicalId: 'Killable',
      name: 'Killable',
      functionName: environment.AWS_LAMBDA_FUNCTION_NAME ?? '',
      arn: '',
      roleLogicalId: '',
      codeDirectory: environment.LAMBDA_TASK_ROOT ?? '',
      environment: { ...environment, NODE_OPTIONS: `--import=${preload}`, KILL_AT: String(killAt ?? '') },
      timeoutSeconds: 60,
      memoryMb: 256,
    },
    log,
    onStart: () => {},
    onInvocationEnd: () => {},
  });
  return {
    async invoke(event) {
      try {
        const outcome = await worker.invoke({
          requestId: 'killed',
          event: JSON.stringify(event),
          invokedFunctionArn: '',
          deadlineMs: Date.now() + 60_000,
        });
        if (outcome.kind === 'streaming') await text(outcome.body);
      } catch {
        // The process was killed during the invocation.
      }
    },
    continuations: () => continuations,
    async stop() {
      worker.kill();
      await worker.exited;
      log.close();
      rmSync(logDirectory, { recursive: true });
    },
  };
}
