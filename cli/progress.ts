/** How far a long command is, on standard error: standard output is for results alone. */

export interface Progress {
  /** Takes the newest words on how far the work is; they are shown now and then. */
  report(text: string): void;
  /** Leaves a clean line for what comes next. */
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

/** On a terminal one line that is written over once a second; elsewhere a line every five seconds. */
export function createProgress(output: ProgressOutput, nowMs: () => number): Progress {
  return output.isTTY ? terminalProgress(output, nowMs) : plainProgress(output, nowMs);
}

function terminalProgress(output: ProgressOutput, nowMs: () => number): Progress {
  let shownAtMs: number | null = null;
  return {
    report(text) {
      if (shownAtMs !== null && nowMs() - shownAtMs < terminalIntervalMs) return;
      shownAtMs = nowMs();
      // A line that wraps could not be written over.
      output.write(`${startOfClearedLine}${text.slice(0, (output.columns ?? 80) - 1)}`);
    },
    end() {
      if (shownAtMs !== null) output.write(startOfClearedLine);
      shownAtMs = null;
    },
  };
}

/** What is done within the first seconds says nothing. */
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
