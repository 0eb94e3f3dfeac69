/** 1: failure. 2: invalid command line. 130: stopped by a signal, as shells report Ctrl-C. */
type ExitCode = 1 | 2 | 130;

/** A failure that the operator can resolve. The message is one line that says how. */
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
