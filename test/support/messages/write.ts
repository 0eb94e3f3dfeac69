/** Writes what a provider has generated as a message for a caller of the Messages API, as a stream and as a whole. */
import Anthropic from '@anthropic-ai/sdk';
import { type ReaderFacts, startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { ChoiceSink, CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { createMessagesWriter, type RequestedMessage } from '#lambdas/inference/messages/response/writer.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { providerCall } from '../providers/provider-call.ts';
import { messageEvents } from './validate.ts';

interface WriteOptions extends Partial<RequestedMessage> {
  provider?: string;
  apiKey?: string;
  requestId?: string;
}

/** Writes to the writer and to its first choice. */
export type WriteScript = (choice: ChoiceSink, writer: CompletionWriter) => void;

export function startMessagesWriter({
  provider,
  apiKey,
  requestId,
  ...requested
}: WriteOptions = {}): CompletionWriter {
  const call = providerCall(
    {},
    {
      ...(provider !== undefined && { provider }),
      ...(apiKey !== undefined && { apiKey }),
      ...(requestId !== undefined && { requestId }),
    },
  );
  const create = createMessagesWriter({
    stream: true,
    stopSequences: [],
    estimateInputTokens: () => 40,
    ...requested,
  });
  return create(call, startReaderFacts());
}

interface WrittenStream {
  text: string;
  /** Without those that are no JSON. */
  events: JsonObject[];
  facts: ReaderFacts;
}

interface WrittenMessage {
  text: string;
  /** Empty if there is none. */
  message: JsonObject;
  content: JsonObject[];
  facts: ReaderFacts;
}

/** The script is the whole response, so that the message ends if it is finished. */
export function writeStream(script: WriteScript, options: WriteOptions = {}): WrittenStream {
  const { text, facts } = written(script, { ...options, stream: true });
  return { text, events: messageEvents(text).filter((event) => event !== null), facts };
}

export function writeWhole(script: WriteScript, options: WriteOptions = {}): WrittenMessage {
  const { text, facts } = written(script, { ...options, stream: false });
  const message = parseJsonObject(text) ?? {};
  return { text, message, content: filterObjects(message.content), facts };
}

function written(script: WriteScript, options: WriteOptions) {
  const writer = startMessagesWriter(options);
  script(writer.choice(0), writer);
  writer.end();
  return { text: writer.take().toString(), facts: writer.facts };
}

/** Assembles the stream into a message as Anthropic's SDK does for its callers. */
export async function assembleMessage(text: string): Promise<JsonObject> {
  const client = new Anthropic({
    apiKey: 'sk-1',
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [] });
  const { parsed_output: _, ...message } = await stream.finalMessage();
  return objectOrEmpty(JSON.parse(JSON.stringify(message)));
}
