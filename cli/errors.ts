/** 1: failed. 2: the command line was not understood. 130: stopped, as shells report a Ctrl-C. */
type ExitCode = 1 | 2 | 130;

/** A failure that the operator can do something about: its message is one line that says what. */
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
