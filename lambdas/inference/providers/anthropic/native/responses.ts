/** Reads the responses of a Messages API for callers who use it themselves. Loaded while the provider works. */
import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import { type EventReader, endsWith, startsWith } from '#lambdas/inference/providers/native/event-stream.ts';
import type { NativeContext } from '#lambdas/inference/providers/native/origin.ts';
import { createNativeReaders } from '#lambdas/inference/providers/native/responses.ts';
import { emptyResponseError } from '#lambdas/inference/providers/translation/response-reader.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { isMessage, toStreamEvents } from '../reader.ts';
import { readNativeError, readStatedError } from './errors.ts';
import { createFactsReader } from './facts.ts';

export const createMessageReaders = createNativeReaders({
  readError: readNativeError,
  readWhole(message, text, context) {
    const { origin } = context;
    if (findErrorInBody(message, origin) !== null) throw readStatedError(message, text, origin);
    if (!isMessage(message)) throw emptyResponseError(origin.provider);
    const reader = createFactsReader(context);
    for (const event of toStreamEvents(message)) reader.read(event);
  },
  createEventReader: createMessageEventReader,
});

const noBytes = Buffer.alloc(0);

const messageStop = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n');

const deltaStart = Buffer.from('event: content_block_delta\ndata: {"type":"content_block_delta"');
const deltaEnd = Buffer.from('}}\n\n');

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
function createMessageEventReader(context: NativeContext): EventReader {
  const { origin, facts } = context;
  const reader = createFactsReader(context);
  return {
    isDelta: (event) => startsWith(event, deltaStart) && endsWith(event, deltaEnd),
    read(data: JsonObject, text: string, type: string) {
      if (findErrorInBody(data, { ...origin, eventType: type }) !== null)
        throw readStatedError(data, text, origin);
      if (data.type === 'ping') return true;
      reader.read(data);
      facts.started = true;
      if (data.type !== 'message_stop') return true;
      facts.finished = true;
      facts.ended = true;
      return true;
    },
    done: () => false,
    end() {
      if (!facts.finished) return noBytes;
      facts.ended = true;
      return messageStop;
    },
  };
}
