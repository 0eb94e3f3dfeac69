/**
 * Emulates Lambda's runtime: a process that runs the bundled chat function in the folder `CHAT_BUNDLE`.
 *
 * By default it converts each HTTP request to a function URL event. With `INPUT=event` the request body is the event as
 * JSON, which is what Lambda's runtime receives. With `STORE=in-process` log writes succeed without network I/O.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { serve } from './serve.ts';

type Handler = (event: unknown, stream: ServerResponse, context: object) => Promise<void>;

const timeoutMs = 900_000;

const { CHAT_BUNDLE = '', INPUT, STORE } = process.env;
if (STORE === 'in-process') completeWritesInProcess();
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: {
      from: (response: ServerResponse, head: { statusCode: number; headers: Record<string, string> }) =>
        response.writeHead(head.statusCode, head.headers),
    },
  },
});
const { handler }: { handler: Handler } = await import(pathToFileURL(join(CHAT_BUNDLE, 'index.mjs')).href);
const counts = { afterResponseMicros: 0 };

serve((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    invoke(request, response, Buffer.concat(chunks).toString()).catch(() => response.destroy());
  });
}, counts);

async function invoke(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  const event: unknown = INPUT === 'event' ? JSON.parse(body) : toEvent(request, body);
  const deadlineMs = Date.now() + timeoutMs;
  let respondedAt = 0;
  response.once('finish', () => {
    respondedAt = performance.now();
  });
  await handler(event, response, {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  });
  counts.afterResponseMicros += Math.round((performance.now() - respondedAt) * 1000);
}

function toEvent({ method, url, headers }: IncomingMessage, body: string) {
  return {
    version: '2.0',
    rawPath: url,
    rawQueryString: '',
    headers,
    requestContext: { http: { method, path: url } },
    body,
    isBase64Encoded: false,
  };
}

/** Must run before the function is imported, since its bundle reads `request` from the `node:http` object. */
function completeWritesInProcess(): void {
  const node: { request: typeof http.request } = process.getBuiltinModule('node:http');
  const { request } = node;
  const isPutItem = (options: unknown) =>
    String(Object(options).headers?.['x-amz-target']).endsWith('.PutItem');
  const requestExceptWrites = (...args: Parameters<typeof request>) =>
    isPutItem(args[0]) ? completedWrite() : request(...args);
  node.request = requestExceptWrites as typeof request;
}

/** Implements the part of `ClientRequest` that the function uses. */
function completedWrite() {
  const emitter = new EventEmitter();
  return Object.assign(emitter, {
    reusedSocket: true,
    end() {
      const body = Readable.from([Buffer.from('{}')], { objectMode: false });
      setImmediate(() => emitter.emit('response', Object.assign(body, { statusCode: 200, headers: {} })));
    },
    destroy() {},
  });
}
