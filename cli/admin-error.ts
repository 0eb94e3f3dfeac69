/** A failure that the operator can do something about: its message is the one line that says what. */

/** 1: it did not work. 2: it was asked for in the wrong way. 130: it was stopped, as shells say it of a Ctrl-C. */
type ExitCode = 1 | 2 | 130;

export class AdminError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1) {
    super(message);
    this.name = 'AdminError';
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): AdminError {
  return new AdminError(message, 2);
}
