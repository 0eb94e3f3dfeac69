// @ts-check
/**
 * Emulates Lambda's Node.js runtime: the `awslambda` global, the context and the response stream.
 *
 * Follows https://github.com/aws/aws-lambda-nodejs-runtime-interface-client, including a surprising behaviour: the
 * prelude is sent with the first `write`, so a stream that ends without a write has no status and no headers.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { Context } from 'aws-lambda'
 */

/** @typedef {(event: unknown, contextOrStream: unknown, context?: Context) => unknown} Handler */

/**
 * @typedef {ServerResponse & {
 *   setContentType(contentType: string): void;
 *   _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
 * }} ResponseStream
 */

export const preludeContentType = 'application/vnd.awslambda.http-integration-response';

export const preludeDelimiter = Buffer.alloc(8);

const streaming = Symbol('streaming handler');

export function installLambdaGlobal() {
  const HttpResponseStream = {
    /**
     * @param {ResponseStream} stream
     * @param {unknown} prelude
     */
    from(stream, prelude) {
      stream.setContentType(preludeContentType);
      const json = JSON.stringify(prelude);
      stream._onBeforeFirstWrite = (write) => {
        // A single chunk, so that the delimiter is not sent separately from status and headers.
        write(Buffer.concat([Buffer.from(json), preludeDelimiter]));
      };
      return stream;
    },
  };
  /** @param {Handler} handler */
  const streamifyResponse = (handler) => Object.assign(handler, { [streaming]: true });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream } });
}

/** @param {Handler} handler */
export function isStreaming(handler) {
  return streaming in handler;
}

/**
 * `specification` is the function's `Handler`, such as `index.handler`.
 * @param {string} codeDirectory
 * @param {string} specification
 */
export async function loadHandler(codeDirectory, specification) {
  const [moduleName = '', exportName = ''] = specification.split(/\.(?=[^.]*$)/);
  const file = ['.mjs', '.js', '.cjs']
    .map((extension) => join(codeDirectory, `${moduleName}${extension}`))
    .find((path) => existsSync(path));
  if (file === undefined) throw new Error(`Cannot find module '${moduleName}' in ${codeDirectory}`);
  const loaded = await import(pathToFileURL(file).href);
  const exports = exportName in loaded ? loaded : loaded.default;
  const handler = exports?.[exportName];
  if (typeof handler !== 'function') throw new Error(`${specification} is undefined or not exported`);
  return /** @type {Handler} */ (handler);
}

/**
 * With `holdsChunks`, a small write is sent with the next one, as users of Lambda have reported:
 * https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/issues/102
 * @param {ServerResponse} response
 * @param {{ holdsChunks: boolean }} options
 */
export function toResponseStream(response, { holdsChunks }) {
  const write = /** @type {(chunk: string | Uint8Array, ...rest: unknown[]) => boolean} */ (
    response.write.bind(response)
  );
  const writeToResponse = holdsChunks ? holdChunks(response, write) : write;
  let written = false;
  /** @type {ResponseStream} */
  const stream = Object.assign(response, {
    /** @param {string} contentType */
    setContentType(contentType) {
      if (written) throw new Error('Cannot set content-type, too late.');
      response.setHeader('content-type', contentType);
    },
    /**
     * @param {unknown} chunk
     * @param {unknown[]} rest
     */
    write(chunk, ...rest) {
      if (!written) stream._onBeforeFirstWrite?.((prelude) => writeToResponse(prelude));
      written = true;
      const isBytes = typeof chunk === 'string' || chunk instanceof Uint8Array;
      return writeToResponse(isBytes ? chunk : JSON.stringify(chunk), ...rest);
    },
  });
  return stream;
}

/** Chunks of this size are sent at once. */
const largeChunkBytes = 100_000;

/**
 * @param {ServerResponse} response
 * @param {(chunk: string | Uint8Array) => boolean} write
 * @returns {(chunk: string | Uint8Array, ...rest: unknown[]) => boolean}
 */
function holdChunks(response, write) {
  /** @type {string | Uint8Array | null} */
  let held = null;
  const release = () => {
    const chunk = held;
    held = null;
    return chunk === null || write(chunk);
  };
  const end = response.end.bind(response);
  /** @param {unknown[]} last */
  response.end = (...last) => {
    release();
    return Reflect.apply(end, response, last);
  };
  return (chunk) => {
    const isWritable = release();
    if (chunk.length >= largeChunkBytes) return write(chunk);
    held = chunk;
    return isWritable;
  };
}

/**
 * @param {{
 *   requestId: string;
 *   invokedFunctionArn: string;
 *   deadlineMs: number;
 *   environment: NodeJS.ProcessEnv;
 * }} invocation
 * @returns {Context}
 */
export function createContext(invocation) {
  const { environment } = invocation;
  const unsupported = () => {
    throw new Error('Callbacks are not supported by this runtime: return a promise');
  };
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: environment.AWS_LAMBDA_FUNCTION_NAME ?? '',
    functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION ?? '',
    invokedFunctionArn: invocation.invokedFunctionArn,
    memoryLimitInMB: environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? '',
    awsRequestId: invocation.requestId,
    logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME ?? '',
    logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME ?? '',
    getRemainingTimeInMillis: () => Math.max(0, invocation.deadlineMs - Date.now()),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}
