/** The pieces of a stream as OpenAI sends them: each a `Buffer` of its own, as sockets bring them. */
import { chunkOf, deltaChunk, doneEvent, event, exampleUsage } from './providers/openai/openai-events.ts';

const piece = (data: object) => Buffer.from(event(data));

/** After these the function knows what a chunk looks like that brings text and nothing else. */
export function openingChunks(): Buffer[] {
  return [piece(deltaChunk({ role: 'assistant', content: '' })), ...textChunks(1)];
}

export function textChunks(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => piece(deltaChunk({ content: ` word ${index}` })));
}

export function closingChunks(): Buffer[] {
  return [piece(deltaChunk({}, 'stop')), piece(chunkOf({ usage: exampleUsage })), Buffer.from(doneEvent)];
}

export const completionBody = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1767225600,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: ' word'.repeat(300), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: exampleUsage,
  }),
);
