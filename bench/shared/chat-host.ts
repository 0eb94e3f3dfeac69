/**
 * The bundled chat function behind the least that can call it: a `node:http` server that makes of each request the event
 * of a Function URL. `CHAT_BUNDLE` is the folder of the bundle; with `STORE=in-process` log writes leave out the network.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from './bench-process.ts';
import { loadChat } from './load-chat.ts';
import { answerWritesInProcess } from './store-in-process.ts';

if (process.env.STORE === 'in-process') answerWritesInProcess();

const chat = await loadChat();
const counts = { invocations: 0, failures: 0 };

serve((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => invoke(request, response, Buffer.concat(pieces).toString()));
}, counts);

function invoke(request: IncomingMessage, response: ServerResponse, body: string): void {
  counts.invocations += 1;
  chat(eventOf(request, body), response).catch(() => {
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
