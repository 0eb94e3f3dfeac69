// @ts-check
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
};

/**
 * `requestId` returns the id of the current invocation.
 * @param {() => string | undefined} requestId
 */
export function installJsonConsole(requestId) {
  for (const [method, level] of Object.entries(levels)) {
    Object.assign(console, {
      /** @param {unknown[]} values */
      [method]: (...values) => {
        const line = { timestamp: new Date().toISOString(), level, requestId: requestId() };
        process.stdout.write(`${toJson(line, values)}\n`);
      },
    });
  }
}

/**
 * @param {object} line
 * @param {unknown[]} values
 */
function toJson(line, values) {
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

/** @param {Error} error */
function describeError(error) {
  return {
    errorType: error.constructor.name,
    errorMessage: error.message,
    stackTrace: String(error.stack).split('\n'),
  };
}
