/** Reads a native provider's server-sent events and writes OpenAI's. */
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';
import type { StreamReader } from '../http/http-protocol.ts';
import { createSseSplitter, sseData } from '../http/sse.ts';
import type { ProviderCall } from '../provider.ts';
import { type CompletionStream, createCompletionStream } from './completion-stream.ts';

export interface SseTranslation {
  call: ProviderCall;
  /** What an event's data says goes into the stream; after a failure none comes any more. */
  translate(data: JsonObject, stream: CompletionStream): void;
  /** As `parseJsonObject`, where numbers have to keep their digits. */
  parse?: (text: string) => JsonObject | null;
}

/** Comments and whatever else is no JSON object are passed over. */
export function createSseTranslator({
  call,
  translate,
  parse = parseJsonObject,
}: SseTranslation): StreamReader {
  const splitter = createSseSplitter();
  const stream = createCompletionStream(call);

  const read = (event: Buffer) => {
    if (stream.facts.problem !== null) return;
    // Google's errors come at times as bare JSON: https://github.com/googleapis/python-genai/issues/1162
    const data = parse(sseData(event) ?? event.toString());
    if (data !== null) translate(data, stream);
  };
  return {
    facts: stream.facts,
    push(chunk) {
      for (const event of splitter.push(chunk)) read(event);
      return stream.take();
    },
    end() {
      read(splitter.rest());
      stream.end();
      return stream.take();
    },
  };
}
