/**
 * Commands that may run for minutes or hours: they show their progress on standard error, since standard output is for
 * results alone, and stop where a later run can continue.
 */

import { setTimeout } from 'node:timers/promises';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { AdminError } from './errors.ts';

export interface LongJobOptions {
  /** How to continue after a stop: the end of a sentence. */
  resumeHint?: () => string;
  /** Takes the progress. */
  output: ProgressOutput;
  signals?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
}

/** Part of the help of a command that runs as a long job. */
export const longJobHelp =
  'Progress is shown on standard error. Ctrl-C (or SIGTERM) stops at the next safe point, with exit code 130.';

const terminationSignals = ['SIGINT', 'SIGTERM'];

/** Resolves to the result of the work; rejects with an `AdminError` that says how to continue when it is stopped. */
export async function runLongJob<Result>(
  work: (job: LongJob) => Promise<Result>,
  options: LongJobOptions,
): Promise<Result> {
  const {
    output,
    signals = process,
    resumeHint = () => 'the same command continues where this one stopped',
  } = options;
  const progress = createProgress(output, Date.now);
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => {
    progress.end();
    // npm passes a signal on to a process that the terminal has already sent it to: say it once.
    if (!signal.aborted) output.write('Stopping at the next safe point ...\n');
    controller.abort();
  };
  for (const name of terminationSignals) signals.on(name, stop);
  try {
    return await work({
      signal,
      report: progress.report,
      note(text) {
        progress.end();
        output.write(`note: ${text}\n`);
      },
      wait: (ms, reason) => waitWithCountdown(ms, signal, (left) => progress.report(`${reason}: ${left}`)),
    });
  } catch (error) {
    throw signal.aborted && isAbort(error) ? new AdminError(`Stopped: ${resumeHint()}`, 130) : error;
  } finally {
    for (const name of terminationSignals) signals.off(name, stop);
    progress.end();
  }
}

async function waitWithCountdown(
  ms: number,
  signal: AbortSignal,
  report: (left: string) => void,
): Promise<void> {
  const endMs = Date.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = endMs - Date.now()) {
    report(`${Math.ceil(leftMs / 1000)} s left`);
    await setTimeout(Math.min(leftMs, 1000), undefined, { signal });
  }
  signal.throwIfAborted();
}

/** From the job itself, or from a call or stream that was given the signal. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

export interface Progress {
  /** Takes the current progress, which is shown from time to time. */
  report(text: string): void;
  /** Leaves a clean line. */
  end(): void;
}

export interface ProgressOutput {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const terminalIntervalMs = 1000;
const plainIntervalMs = 5000;
const startOfClearedLine = '\r\u001b[2K';

/** On a terminal, one line that is overwritten once a second; elsewhere, a line every five seconds. */
export function createProgress(output: ProgressOutput, nowMs: () => number): Progress {
  return output.isTTY ? terminalProgress(output, nowMs) : plainProgress(output, nowMs);
}

function terminalProgress(output: ProgressOutput, nowMs: () => number): Progress {
  let shownAtMs: number | null = null;
  return {
    report(text) {
      if (shownAtMs !== null && nowMs() - shownAtMs < terminalIntervalMs) return;
      shownAtMs = nowMs();
      // A line that wraps could not be overwritten.
      output.write(`${startOfClearedLine}${text.slice(0, (output.columns ?? 80) - 1)}`);
    },
    end() {
      if (shownAtMs !== null) output.write(startOfClearedLine);
      shownAtMs = null;
    },
  };
}

/** Work that ends within the first seconds writes nothing. */
function plainProgress(output: ProgressOutput, nowMs: () => number): Progress {
  let shownAtMs = nowMs();
  return {
    report(text) {
      if (nowMs() - shownAtMs < plainIntervalMs) return;
      shownAtMs = nowMs();
      output.write(`${text}\n`);
    },
    end() {},
  };
}
