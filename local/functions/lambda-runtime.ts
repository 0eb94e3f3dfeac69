/**
 * Emulates Lambda's Node.js runtime: the `awslambda` global, the context and the response stream.
 *
 * Follows https://github.com/aws/aws-lambda-nodejs-runtime-interface-client, including a surprising behaviour: the
 * prelude is sent with the first `write`, so a stream that ends without a write has no status and no headers.
 */
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';

export type Handler = (event: unknown, contextOrStream: unknown, context?: Context) => unknown;

export interface ResponseStream extends ServerResponse {
  setContentType(contentType: string): void;
  _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
}

export const preludeContentType = 'application/vnd.awslambda.http-integration-response';

export const preludeDelimiter = Buffer.alloc(8);

const streaming = Symbol('streaming handler');

export function installLambdaGlobal(): void {
  const HttpResponseStream = {
    from(stream: ResponseStream, prelude: unknown): ResponseStream {
      stream.setContentType(preludeContentType);
      const json = JSON.stringify(prelude);
      stream._onBeforeFirstWrite = (write) => {
        // A single chunk, so that the delimiter is not sent separately from status and headers.
        write(Buffer.concat([Buffer.from(json), preludeDelimiter]));
      };
      return stream;
    },
  };
  const streamifyResponse = (handler: Handler) => Object.assign(handler, { [streaming]: true });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream } });
}

export function isStreaming(handler: Handler): boolean {
  return streaming in handler;
}

/** `specification` is the function's `Handler`, such as `index.handler`. */
export async function loadHandler(codeDirectory: string, specification: string): Promise<Handler> {
  const [moduleName = '', exportName = ''] = specification.split(/\.(?=[^.]*$)/);
  const file = ['.mjs', '.js', '.cjs']
    .map((extension) => join(codeDirectory, `${moduleName}${extension}`))
    .find((path) => existsSync(path));
  if (file === undefined) throw new Error(`Cannot find module '${moduleName}' in ${codeDirectory}`);
  const loaded: Record<string, unknown> = await import(pathToFileURL(file).href);
  const exports = exportName in loaded ? loaded : (loaded.default as Record<string, unknown> | undefined);
  const handler = exports?.[exportName];
  if (typeof handler !== 'function') throw new Error(`${specification} is undefined or not exported`);
  return handler as Handler;
}

export function toResponseStream(response: ServerResponse): ResponseStream {
  const writeToResponse = response.write.bind(response) as (chunk: unknown, ...rest: unknown[]) => boolean;
  let written = false;
  const stream: ResponseStream = Object.assign(response, {
    setContentType(contentType: string) {
      if (written) throw new Error('Cannot set content-type, too late.');
      response.setHeader('content-type', contentType);
    },
    write(chunk: unknown, ...rest: unknown[]): boolean {
      if (!written) stream._onBeforeFirstWrite?.((prelude) => writeToResponse(prelude));
      written = true;
      const isBytes = typeof chunk === 'string' || chunk instanceof Uint8Array;
      return writeToResponse(isBytes ? chunk : JSON.stringify(chunk), ...rest);
    },
  });
  return stream;
}

export function createContext(invocation: {
  requestId: string;
  invokedFunctionArn: string;
  deadlineMs: number;
  environment: NodeJS.ProcessEnv;
}): Context {
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
