/** Forwards the events of a stream byte for byte. Deltas, which are most of them, are not parsed. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { createSseSplitter } from '../http/sse.ts';
import type { ResponseReader } from '../provider.ts';
import { redact } from '../redact.ts';
import {
  isCompleteEvent,
  joinEvents,
  readEventPayload,
  unreadableEventError,
  withBlankLine,
} from '../translation/event-payload.ts';
import { emptyResponseError } from '../translation/response-reader.ts';
import type { NativeContext } from './origin.ts';

/** Reads the events of an API into the facts. */
export interface EventReader {
  /** True for a delta in the form that the API's own provider sends; others are parsed. */
  isDelta(event: Buffer): boolean;
  /**
   * `text` is the JSON of `data`, `type` the field `event`. Returns whether the event is forwarded. Throws a `GatewayError`
   * for an error that is to be an HTTP error, or the last event.
   */
  read(data: JsonObject, text: string, type: string): boolean;
  /** Reads `[DONE]`. Returns whether it is forwarded. */
  done(): boolean;
  /** Reads the end of a stream that is not over. Returns the last event if the provider has left it out. */
  end(): Buffer;
}

const noBytes = Buffer.alloc(0);

export function createEventStreamReader(
  { origin, facts }: NativeContext,
  reader: EventReader,
): Pick<ResponseReader, 'push' | 'end'> {
  const splitter = createSseSplitter();
  const isOver = () => facts.error !== null || facts.ended;

  /** Returns whether the event is forwarded. */
  const readEvent = (event: Buffer): boolean => {
    const payload = readEventPayload(event, parseJson);
    switch (payload.kind) {
      case 'comment':
      case 'ping':
        return true;
      case 'empty':
        return false;
      case 'done':
        return reader.done();
      case 'payloads':
        return payload.payloads.every(({ data, text }) => reader.read(data, text, payload.type));
      case 'unreadable':
        // After the end, nothing of the response can be lost.
        if (facts.finished) return false;
        throw unreadableEventError(origin.provider);
      default:
        return payload satisfies never;
    }
  };
  const isDelta = (event: Buffer): boolean => {
    if (!reader.isDelta(event)) return false;
    facts.started = true;
    if (facts.finished) facts.continued = true;
    return true;
  };
  /** Returns the events before an error too. */
  const forward = (events: readonly Buffer[]): Buffer => {
    const forwarded: Buffer[] = [];
    try {
      for (const event of events) {
        if (isOver()) break;
        if (isDelta(event)) forwarded.push(event);
        else if (readEvent(event)) forwarded.push(redactEvent(event, origin.credential));
      }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
    }
    return joinEvents(forwarded);
  };

  return {
    push: (chunk) => forward(splitter.push(chunk)),
    end() {
      const rest = splitter.rest();
      const last = isCompleteEvent(rest) ? forward([withBlankLine(rest)]) : noBytes;
      if (isOver()) return last;
      const missing = reader.end();
      if (!isOver() && !facts.started) facts.error = emptyResponseError(origin.provider);
      return joinEvents([last, missing].filter(({ length }) => length > 0));
    },
  };
}

/** Some errors quote the credential. */
function redactEvent(event: Buffer, credential: string | null): Buffer {
  if (credential === null || credential === '' || !event.includes(credential)) return event;
  return Buffer.from(redact(event.toString('utf8'), credential));
}

export function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && start.compare(bytes, 0, start.length) === 0;
}

export function endsWith(bytes: Buffer, end: Buffer): boolean {
  return bytes.length >= end.length && end.compare(bytes, bytes.length - end.length) === 0;
}
