/** Chunks of a stream as OpenAI sends them, each in its own `Buffer`. */
import { buildChunk, deltaChunk, doneEvent, event, exampleUsage } from '../providers/openai/events.ts';

const chunk = (data: object) => Buffer.from(event(data));

/** After these, the function has learned the format of chunks that contain only text. */
export function openingChunks(): Buffer[] {
  return [chunk(deltaChunk({ role: 'assistant', content: '' })), ...textChunks(1)];
}

export function textChunks(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => chunk(deltaChunk({ content: ` word ${index}` })));
}

export function closingChunks(): Buffer[] {
  return [chunk(deltaChunk({}, 'stop')), chunk(buildChunk({ usage: exampleUsage })), Buffer.from(doneEvent)];
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
