/**
 * Runs commands that may take minutes or hours. They report progress on standard error, since standard output is
 * reserved for results, and stop only where a later run can continue.
 */

import { setTimeout } from 'node:timers/promises';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { escapeControls, type TerminalOutput } from '#lib/terminal-output.mjs';
import { AdminError } from './errors.ts';

export interface LongJobOptions {
  /** Returns the text after "Stopped: ", which explains how to continue. */
  resumeHint?: () => string;
  terminal: { errors: TerminalOutput; nowMs(): number };
  signals?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
}

export const longJobHelp =
  'Progress is printed on standard error. Ctrl-C (or SIGTERM) stops at the next safe point, with exit code 130.';

const terminationSignals = ['SIGINT', 'SIGTERM'];

/** Throws an `AdminError` that says how to continue when a signal stopped the work. */
export async function runLongJob<Result>(
  work: (job: LongJob) => Promise<Result>,
  options: LongJobOptions,
): Promise<Result> {
  const {
    terminal,
    signals = process,
    resumeHint = () => 'run the same command again to continue',
  } = options;
  const output = terminal.errors;
  const progress = createProgress(output, terminal.nowMs);
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => {
    progress.clear();
    // Print this once: npm forwards a signal to a process that has already received it from the terminal.
    if (!signal.aborted) output.write('Stopping at the next safe point ...\n');
    controller.abort();
  };
  for (const name of terminationSignals) signals.on(name, stop);
  try {
    return await work({
      signal,
      report: progress.report,
      note(text) {
        progress.clear();
        output.write(`note: ${text}\n`);
      },
      wait: (ms, reason) =>
        waitWithCountdown(ms, signal, (remaining) => progress.report(`${reason}: ${remaining}`)),
    });
  } catch (error) {
    throw signal.aborted && isAbort(error) ? new AdminError(`Stopped: ${resumeHint()}`, 130) : error;
  } finally {
    for (const name of terminationSignals) signals.off(name, stop);
    progress.clear();
  }
}

async function waitWithCountdown(
  ms: number,
  signal: AbortSignal,
  report: (remaining: string) => void,
): Promise<void> {
  const endMs = Date.now() + ms;
  for (let remainingMs = ms; remainingMs > 0; remainingMs = endMs - Date.now()) {
    report(`${Math.ceil(remainingMs / 1000)} s left`);
    await setTimeout(Math.min(remainingMs, 1000), undefined, { signal });
  }
  signal.throwIfAborted();
}

/** True for aborts thrown by the job itself and by SDK calls and streams that received the signal. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

interface Progress {
  /** Sets the current progress, which is printed at intervals. */
  report(text: string): void;
  clear(): void;
}

const terminalIntervalMs = 1000;
const plainIntervalMs = 5000;
const clearLine = { escaped: '\r\u001b[2K' };

/** Overwrites one line once a second on a terminal; otherwise prints a line every five seconds. */
export function createProgress(output: TerminalOutput, nowMs: () => number): Progress {
  return output.isTTY ? terminalProgress(output, nowMs) : plainProgress(output, nowMs);
}

function terminalProgress(output: TerminalOutput, nowMs: () => number): Progress {
  let printedAtMs: number | null = null;
  return {
    report(text) {
      if (printedAtMs !== null && nowMs() - printedAtMs < terminalIntervalMs) return;
      printedAtMs = nowMs();
      // A wrapped line cannot be overwritten.
      const line = escapeControls(text).slice(0, (output.columns ?? 80) - 1);
      output.write({ escaped: clearLine.escaped + line });
    },
    clear() {
      if (printedAtMs !== null) output.write(clearLine);
      printedAtMs = null;
    },
  };
}

/** Prints nothing for jobs that end within the first interval. */
function plainProgress(output: TerminalOutput, nowMs: () => number): Progress {
  let printedAtMs = nowMs();
  return {
    report(text) {
      if (nowMs() - printedAtMs < plainIntervalMs) return;
      printedAtMs = nowMs();
      output.write(`${text}\n`);
    },
    clear() {},
  };
}
