/**
 * The bundled chat function (in `CHAT_BUNDLE`) in its environment: as Lambda's runtime does, it takes an event as JSON,
 * parses it and calls the handler. Counts how long handlers work on after their answer's end, for that is billed too.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '../shared/bench-process.ts';

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

const file = join(process.env.CHAT_BUNDLE ?? '', 'index.mjs');
const { handler }: { handler: Handler } = await import(pathToFileURL(file).href);

const timeoutMs = 900_000;
const counts = { ended: 0, afterAnswerMicros: 0 };

serve((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => invoke(pieces, response));
}, counts);

async function invoke(pieces: Buffer[], response: ServerResponse): Promise<void> {
  const event: unknown = JSON.parse(Buffer.concat(pieces).toString());
  const deadlineMs = Date.now() + timeoutMs;
  let answeredAt = 0;
  response.once('finish', () => {
    answeredAt = performance.now();
  });
  await handler(event, response, {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  });
  counts.ended += 1;
  counts.afterAnswerMicros += Math.round((performance.now() - answeredAt) * 1000);
}
