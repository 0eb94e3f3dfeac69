/**
 * Wraps the output of `console` as Lambda's runtime does with the log format JSON. Lines that a function writes to
 * standard output stay as they are.
 * https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/blob/main/src/LogPatch.js
 */
import { format } from 'node:util';

const levels = {
  trace: 'TRACE',
  debug: 'DEBUG',
  log: 'INFO',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
} as const;

/** `requestId` returns the id of the current invocation. */
export function installJsonConsole(requestId: () => string | undefined): void {
  for (const [method, level] of Object.entries(levels)) {
    Object.assign(console, {
      [method]: (...values: unknown[]) => {
        const line = { timestamp: new Date().toISOString(), level, requestId: requestId() };
        process.stdout.write(`${toJson(line, values)}\n`);
      },
    });
  }
}

function toJson(line: object, values: unknown[]): string {
  const [first, ...others] = values;
  if (others.length > 0) {
    const error = values.find((value) => value instanceof Error);
    return JSON.stringify({ ...line, message: format(...values), ...(error && describeError(error)) });
  }
  try {
    return JSON.stringify({ ...line, message: first }, (_, value) =>
      value instanceof Error ? { ...describeError(value), ...value } : value,
    );
  } catch {
    return JSON.stringify({ ...line, message: format(first) });
  }
}

function describeError(error: Error): object {
  return {
    errorType: error.constructor.name,
    errorMessage: error.message,
    stackTrace: String(error.stack).split('\n'),
  };
}
