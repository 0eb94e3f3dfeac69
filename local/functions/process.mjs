// @ts-check
/**
 * Entry point of a function's process: loads the handler and serves invocations over HTTP on a Unix domain socket.
 *
 * Started by `startWorker`, whose file describes the protocol. It is JavaScript, like everything that it imports, because
 * Node's code that strips types takes up to 20 MB of memory in each process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { installJsonConsole } from './json-console.mjs';
import {
  createContext,
  installLambdaGlobal,
  isStreaming,
  loadHandler,
  toResponseStream,
} from './lambda-runtime.mjs';

/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { Handler } from './lambda-runtime.mjs'
 * @import { WorkerMessage } from './worker.ts'
 */

// Internal variables: the handler must see only the environment variables of the template.
const socketPath = process.env.LOCAL_WORKER_SOCKET ?? '';
const holdsChunks = process.env.LOCAL_HOLD_CHUNKS !== undefined;
for (const name of ['LOCAL_WORKER_SOCKET', 'LOCAL_HOLD_CHUNKS', 'NODE_COMPILE_CACHE'])
  delete process.env[name];

// Ignore signals that the terminal sends to the whole process group: the parent decides when a function stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.on('disconnect', () => {
  // The parent, which normally deletes the socket's directory, has exited.
  rmSync(dirname(socketPath), { recursive: true, force: true });
  process.exit();
});

const codeDirectory = process.env.LAMBDA_TASK_ROOT ?? '';
process.chdir(codeDirectory);
/** @type {AsyncLocalStorage<string>} */
const requestIds = new AsyncLocalStorage();
installJsonConsole(() => requestIds.getStore());
installLambdaGlobal();
try {
  listen(await loadHandler(codeDirectory, process.env._HANDLER ?? ''));
} catch (error) {
  console.error(error);
  sendToParent({ kind: 'failed to load', message: String(error) });
}

/** @param {Handler} handler */
function listen(handler) {
  const server = createServer((request, response) => {
    const requestId = String(request.headers['x-request-id']);
    requestIds
      .run(requestId, () => invoke(handler, request, response))
      .then((errorType) =>
        sendToParent({ kind: 'ended', requestId, errorType, memoryUsedMb: memoryUsedMb() }),
      );
  });
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  server.listen(socketPath, () => {
    sendToParent({ kind: 'ready', memoryUsedMb: memoryUsedMb() });
    // Node would write the cache at exit, but the process is killed.
    flushCompileCache();
  });
}

/**
 * Resolves to the type of the error that the handler throws.
 * @param {Handler} handler
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function invoke(handler, request, response) {
  const event = JSON.parse(await readText(request));
  const context = createContext({
    requestId: String(request.headers['x-request-id']),
    invokedFunctionArn: String(request.headers['x-invoked-function-arn']),
    deadlineMs: Number(request.headers['x-deadline-ms']),
    environment: process.env,
  });
  try {
    if (isStreaming(handler)) {
      response.setHeader('x-outcome', 'streaming');
      await handler(event, toResponseStream(response, { holdsChunks }), context);
      // A pipeline that the handler started may still write after the handler has returned.
      if (!response.writableFinished && !response.destroyed)
        await Promise.race([once(response, 'finish'), once(response, 'close')]);
    } else {
      const result = await handler(event, context);
      response.setHeader('x-outcome', 'returned');
      response.end(JSON.stringify(result) ?? 'null');
    }
    return null;
  } catch (error) {
    console.error(error);
    sendFailure(response, error);
    return errorTypeOf(error);
  }
}

/**
 * After the first byte, an error can only be reported by closing the connection.
 * @param {ServerResponse} response
 * @param {unknown} error
 */
function sendFailure(response, error) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader('x-outcome', 'failed');
  response.removeHeader('content-type');
  response.end(
    JSON.stringify({
      errorType: errorTypeOf(error),
      errorMessage: error instanceof Error ? error.message : String(error),
    }),
  );
}

/** @param {unknown} error */
function errorTypeOf(error) {
  return error instanceof Error ? error.name : typeof error;
}

function memoryUsedMb() {
  return Math.ceil(process.memoryUsage.rss() / 1024 ** 2);
}

/** @param {IncomingMessage} request */
async function readText(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** @param {WorkerMessage} message */
function sendToParent(message) {
  if (process.connected) process.send?.(message);
}
