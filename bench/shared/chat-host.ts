/**
 * The bundled chat function behind the least that can call it: a `node:http` server that makes of each request the event
 * of a Function URL. `CHAT_BUNDLE` is the folder of the bundle; with `STORE=in-process` log writes leave out the network.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from './bench-process.ts';
import { answerWritesInProcess } from './store-in-process.ts';

type Handler = (event: unknown, stream: ServerResponse, context: unknown) => Promise<void>;

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: {
      from(response: ServerResponse, head: { statusCode: number; headers: Record<string, string> }) {
        return response.writeHead(head.statusCode, head.headers);
      },
    },
  },
});

if (process.env.STORE === 'in-process') answerWritesInProcess();

const file = join(process.env.CHAT_BUNDLE ?? '', 'index.mjs');
const { handler }: { handler: Handler } = await import(pathToFileURL(file).href);

const timeoutMs = 900_000;
const counts = { invocations: 0, failures: 0 };

serve((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => invoke(request, response, Buffer.concat(pieces).toString()));
}, counts);

function invoke(request: IncomingMessage, response: ServerResponse, body: string): void {
  const deadlineMs = Date.now() + timeoutMs;
  counts.invocations += 1;
  handler(eventOf(request, body), response, {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  }).catch(() => {
    counts.failures += 1;
    response.destroy();
  });
}

function eventOf({ method, url, headers }: IncomingMessage, body: string) {
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
