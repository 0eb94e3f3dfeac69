/** Commands that may run for minutes or hours: they say how far they are, and stop where they can go on later. */

import { setTimeout } from 'node:timers/promises';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { AdminError } from './admin-error.ts';
import { createProgress, type ProgressOutput } from './progress.ts';

export interface LongJobOptions {
  /** How to go on after a stop: the end of a sentence. */
  howToGoOn?: () => string;
  /** Where progress is shown. */
  output: ProgressOutput;
  signals?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
}

/** What the help of a command says that runs as a long job. */
export const longJobHelp =
  'Progress is shown on standard error. Ctrl-C (or SIGTERM) stops at the next safe point, with exit code 130.';

const stopSignals = ['SIGINT', 'SIGTERM'];

/** Resolves to what the work does; a stopped one is an `AdminError` that says how to go on. */
export async function runLongJob<Result>(
  work: (job: LongJob) => Promise<Result>,
  options: LongJobOptions,
): Promise<Result> {
  const {
    output,
    signals = process,
    howToGoOn = () => 'the same command goes on where this one stopped',
  } = options;
  const progress = createProgress(output, Date.now);
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => {
    progress.end();
    // npm hands a signal on to a process that had it from the terminal already: say it once.
    if (!signal.aborted) output.write('Stopping at the next safe point ...\n');
    controller.abort();
  };
  for (const name of stopSignals) signals.on(name, stop);
  try {
    return await work({
      signal,
      report: progress.report,
      note(text) {
        progress.end();
        output.write(`note: ${text}\n`);
      },
      wait: (ms, reason) =>
        waitTelling({ ms, signal, tell: (left) => progress.report(`${reason}: ${left}`) }),
    });
  } catch (error) {
    throw signal.aborted && isAbort(error) ? new AdminError(`Stopped: ${howToGoOn()}`, 130) : error;
  } finally {
    for (const name of stopSignals) signals.off(name, stop);
    progress.end();
  }
}

interface Wait {
  ms: number;
  signal: AbortSignal;
  tell(left: string): void;
}

async function waitTelling({ ms, signal, tell }: Wait): Promise<void> {
  const endMs = Date.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = endMs - Date.now()) {
    tell(`${Math.ceil(leftMs / 1000)} s left`);
    await setTimeout(Math.min(leftMs, 1000), undefined, { signal });
  }
  signal.throwIfAborted();
}

/** Ours, or that of a call or stream that was given the signal. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
