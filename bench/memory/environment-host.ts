/**
 * The bundled chat function (in `CHAT_BUNDLE`) in its environment: as Lambda's runtime does, it takes an event as JSON,
 * parses it and calls the handler. Counts how long handlers work on after their answer's end, for that is billed too.
 */
import type { ServerResponse } from 'node:http';
import { serve } from '../shared/bench-process.ts';
import { loadChat } from '../shared/load-chat.ts';

const chat = await loadChat();
const counts = { ended: 0, afterAnswerMicros: 0 };

serve((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => invoke(pieces, response));
}, counts);

async function invoke(pieces: Buffer[], response: ServerResponse): Promise<void> {
  const event: unknown = JSON.parse(Buffer.concat(pieces).toString());
  let answeredAt = 0;
  response.once('finish', () => {
    answeredAt = performance.now();
  });
  await chat(event, response);
  counts.ended += 1;
  counts.afterAnswerMicros += Math.round((performance.now() - answeredAt) * 1000);
}
