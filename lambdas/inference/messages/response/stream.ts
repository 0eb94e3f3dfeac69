/** Serializes the events of a message as a stream. https://platform.claude.com/docs/en/build-with-claude/streaming */
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { createByteAccumulator } from '#lambdas/inference/providers/http/sse.ts';
import { serialize } from '#lambdas/inference/providers/serialize.ts';
import { sseComment } from '#lambdas/platform/http/event-stream.ts';
import { pingEvent } from '../ping.ts';
import type { MessageEvent, MessageOutput } from './events.ts';

export function createMessageStream(facts: Pick<ReaderFacts, 'started'>): MessageOutput {
  const events = createByteAccumulator();
  return {
    write: (event) => events.add(toBytes(event)),
    // The first event must be that of the message.
    ping: () => events.add(facts.started ? pingEvent : sseComment),
    take: events.take,
  };
}

function toBytes(event: MessageEvent): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${serialize(event)}\n\n`);
}
