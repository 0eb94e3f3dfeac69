/**
 * Reads a response in either form, a JSON body or server-sent events, and writes it to a sink, which produces what the
 * caller asked for.
 */
import { type ReaderFacts, startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { createJsonBody } from '../http/json-body.ts';
import { createFormReader, type ResponseForm } from '../http/response-form.ts';
import { createSseSplitter } from '../http/sse.ts';
import type { CreateWriter, ProviderCall, ResponseReader } from '../provider.ts';
import { readEventPayload, unreadableEventError } from './event-payload.ts';

/**
 * Reads a whole response or an event of a stream, whichever `data` is. `type` is the event's, or empty. The reader calls
 * `writer.endWhole` when it finds the stream's last event.
 */
export type ReadPayload = (data: JsonObject, type: string) => void;

interface ResponseTranslation {
  call: ProviderCall;
  createWriter: CreateWriter;
  /** Its name, for error messages. */
  provider: string;
  createReadPayload(writer: CompletionWriter): ReadPayload;
  /** `parseJson` by default. Another parser can preserve the digits of numbers. */
  parse?: (text: string) => unknown;
  /** New ones by default. */
  facts?: ReaderFacts;
  /** Reads forms other than JSON and server-sent events. */
  createFrameDecoder?: (read: ReadPayload, writer: CompletionWriter) => Decoder;
}

/** Passes the payloads of a response on. */
export interface Decoder {
  push(chunk: Buffer): void;
  end(): void;
}

export function createResponseReader(translation: ResponseTranslation): ResponseReader {
  const { provider, createReadPayload, parse = parseJson, createFrameDecoder } = translation;
  const writer = translation.createWriter(translation.call, translation.facts ?? startReaderFacts());
  const { facts } = writer;
  const readPayload = createReadPayload(writer);
  const context: DecoderContext = {
    writer,
    provider,
    parse,
    read(data, type) {
      if (facts.error === null && !facts.ended) readPayload(data, type);
    },
  };
  const createDecoder = (form: ResponseForm | null): Decoder => {
    if (form === 'frames' && createFrameDecoder !== undefined)
      return createFrameDecoder(context.read, writer);
    return form === 'json' ? createJsonDecoder(context) : createEventDecoder(context);
  };
  const withOutput = (decode: () => void): Buffer => {
    try {
      decode();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      writer.fail(error);
    }
    return writer.take();
  };
  const { push, end } = createFormReader((form) => {
    const decoder = createDecoder(form);
    return {
      push: (chunk) => withOutput(() => decoder.push(chunk)),
      end: () =>
        withOutput(() => {
          decoder.end();
          writer.end();
          if (!facts.started && !facts.ended) writer.fail(emptyResponseError(provider));
        }),
    };
  });
  return { facts, push, end };
}

export function emptyResponseError(provider: string): GatewayError {
  return unusableResponseError(`The response of the provider ${provider} contains no completion`);
}

interface DecoderContext extends Required<Pick<ResponseTranslation, 'provider' | 'parse'>> {
  writer: CompletionWriter;
  read: ReadPayload;
}

function createEventDecoder({ writer, read, parse, provider }: DecoderContext): Decoder {
  const splitter = createSseSplitter();
  const readEvent = (event: Buffer) => {
    const payload = readEventPayload(event, parse);
    switch (payload.kind) {
      case 'comment':
      case 'ping':
        writer.ping();
        break;
      case 'empty':
        break;
      case 'done':
        writer.endWhole();
        break;
      case 'payloads':
        for (const { data } of payload.payloads) read(data, payload.type);
        break;
      case 'unreadable':
        // After the finish reason, nothing of the answer can be lost.
        if (!writer.facts.finished) writer.fail(unreadableEventError(provider));
        break;
      default:
        payload satisfies never;
    }
  };
  return {
    push(chunk) {
      for (const event of splitter.push(chunk)) readEvent(event);
    },
    end() {
      const last = readEventPayload(splitter.rest(), parse);
      // A lost connection leaves a truncated event.
      if (last.kind === 'done') writer.endWhole();
      else if (last.kind === 'payloads') for (const { data } of last.payloads) read(data, last.type);
    },
  };
}

/**
 * Reads a JSON body, after which more may follow: some servers report an error as plain JSON in a stream. An array is a list
 * of chunks, as Gemini sends without `alt=sse`.
 */
function createJsonDecoder(context: DecoderContext): Decoder {
  const { writer, read, parse } = context;
  const body = createJsonBody();
  let events: Decoder | null = null;
  /** The response consists of one JSON value so far. */
  let isWhole = false;

  const readValue = (bytes: Buffer): boolean => {
    const value = parse(bytes.toString('utf8'));
    const payloads = Array.isArray(value) ? value.filter(isJsonObject) : isJsonObject(value) ? [value] : null;
    if (payloads === null) return false;
    isWhole = true;
    for (const data of payloads) read(data, '');
    return true;
  };
  const readBody = (): Decoder => {
    const { value, rest } = body.take();
    const isJson = readValue(value);
    const following = createEventDecoder({
      ...context,
      read(data, type) {
        isWhole = false;
        read(data, type);
      },
    });
    following.push(isJson ? rest : Buffer.concat([value, rest]));
    return following;
  };
  return {
    push(chunk) {
      if (events !== null) events.push(chunk);
      else if (body.push(chunk)) events = readBody();
    },
    end() {
      events ??= readBody();
      events.end();
      if (isWhole) writer.endWhole();
    },
  };
}
