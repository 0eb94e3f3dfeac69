/** A function of the gateway in a process of its own, as the gateway runs it, that can be killed at any await. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openFunctionLog } from '#local/functions/function-log.ts';
import { startWorker } from '#local/functions/function-worker.ts';
import type { Environment, FaultEnvironment } from '../harness/fault-environment.ts';

export interface KillableFunction {
  /** Resolves when the invocation has ended, or the process has. */
  invoke(event: object): Promise<void>;
  /** Continuations of promises until the last invocation's end; `undefined` when the process was killed before. */
  continuations(): number | undefined;
  stop(): Promise<void>;
}

/**
 * As the gateway gave it to the function: code, tables, queues and identity. Processes with it share what they have
 * compiled, as there are thousands.
 */
export function environmentOf(world: FaultEnvironment, partOfFunctionName: string): Environment {
  const environment = world.environments.find(({ AWS_LAMBDA_FUNCTION_NAME = '' }) =>
    AWS_LAMBDA_FUNCTION_NAME.includes(partOfFunctionName),
  );
  if (environment === undefined) throw new Error(`There is no function ${partOfFunctionName}`);
  return { ...environment, NODE_COMPILE_CACHE: join(world.directory, 'compiled') };
}

export async function startKillableFunction(settings: {
  environment: Environment;
  /** Left out: it is not killed. */
  killAt?: number;
  onLine: (line: string) => void;
}): Promise<KillableFunction> {
  const { environment, killAt, onLine } = settings;
  const preload = join(import.meta.dirname, 'kill-at-continuation.ts');
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
    },
    log,
    onInvocationEnd: () => {},
  });
  return {
    async invoke(event) {
      try {
        const outcome = await worker.invoke({
          requestId: 'every-await',
          event: JSON.stringify(event),
          invokedFunctionArn: '',
          deadlineMs: Date.now() + 60_000,
        });
        if (outcome.kind === 'streaming') await text(outcome.body);
      } catch {
        // It was killed at work.
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
