/** A function of the gateway in a process of its own, as the gateway runs it, that can be killed at any await. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startWorker } from '../../../local/functions/function-worker.ts';
import { functionProcessIds } from '../../support/function-processes.ts';
import type { FaultWorld } from '../harness/fault-world.ts';

export interface KillableFunction {
  /** Resolves when the invocation has ended, or the process has. */
  invoke(event: object): Promise<void>;
  /** Continuations of promises until the last invocation's end; `undefined` when the process was killed before. */
  continuations(): number | undefined;
  stop(): Promise<void>;
}

export type Environment = Record<string, string>;

/**
 * What the kernel says that the gateway gave to the function: code, tables, queues and identity. Processes with it share
 * what they have compiled, as there are thousands.
 */
export async function environmentOf(world: FaultWorld, partOfFunctionName: string): Promise<Environment> {
  const [id] = await functionProcessIds(partOfFunctionName);
  if (id === undefined) throw new Error(`The function ${partOfFunctionName} does not run`);
  const variables = (await readFile(`/proc/${id}/environ`, 'utf8')).split('\0').filter(Boolean);
  return {
    ...Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s).slice(0, 2))),
    NODE_COMPILE_CACHE: join(world.directory, 'compiled'),
  };
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
    onOutput(line) {
      const counted = /^\{"event":"continuations","continuations":(\d+)\}$/.exec(line);
      if (counted === null) onLine(line);
      else continuations = Number(counted[1]);
    },
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
    },
  };
}
