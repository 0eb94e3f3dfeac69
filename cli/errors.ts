import { GatewayError } from '#lambdas/platform/errors.ts';

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

/** Reads what was passed on the command line: a `GatewayError` (400) becomes an `AdminError`. */
export function readOrUsageError<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof GatewayError && error.status === 400 ? usageError(error.message) : error;
  }
}
