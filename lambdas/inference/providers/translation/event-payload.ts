/** Reads the events of a stream, in whichever form servers send them, and completes the last one. */
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { readSseEvent } from '../http/sse.ts';

type EventPayload =
  /** Can be forwarded, since clients ignore it. */
  | { kind: 'comment' }
  /** A sign of life with data, which a client would try to parse, or lines that mean nothing, such as a page of a proxy. */
  | { kind: 'ping' }
  | { kind: 'empty' }
  | { kind: 'done' }
  /** `isData` is false for JSON outside of the field `data`. */
  | { kind: 'payloads'; type: string; payloads: readonly Payload[]; isData: boolean }
  | { kind: 'unreadable' };

interface Payload {
  data: JsonObject;
  text: string;
}

/** Reads the data of an event. An error may be plain JSON instead, or the value of an unknown field `error`. */
export function readEventPayload(event: Buffer, parse: (text: string) => unknown): EventPayload {
  if (isBlank(event)) return { kind: 'empty' };
  const { type, data, others } = readSseEvent(event);
  if (data === null) return readOtherLines(others, parse);
  const text = data.trim();
  if (text === '[DONE]') return { kind: 'done' };
  if (type === 'ping') return { kind: 'ping' };
  if (text === '') return { kind: 'empty' };
  const value = parse(text);
  if (isJsonObject(value)) return { kind: 'payloads', type, payloads: [{ data: value, text }], isData: true };
  if (type !== 'error') return { kind: 'unreadable' };
  const error = { error: text };
  return { kind: 'payloads', type, payloads: [{ data: error, text: JSON.stringify(error) }], isData: false };
}

/** Decodes only events that are short enough, which few are. */
function isBlank(event: Buffer): boolean {
  return event.length <= 4 && event.toString('latin1').trim() === '';
}

function readOtherLines(lines: readonly string[], parse: (text: string) => unknown): EventPayload {
  if (lines.length === 0) return { kind: 'comment' };
  const read = (text: string): Payload[] => {
    const data = parse(text);
    return isJsonObject(data) ? [{ data, text }] : [];
  };
  const whole = read(lines.join(' '));
  const payloads = whole.length > 0 ? whole : lines.flatMap((line) => read(withErrorField(line)));
  if (payloads.length === 0) return { kind: 'ping' };
  return { kind: 'payloads', type: '', payloads, isData: false };
}

/** Converts `error: …` to a JSON object. */
function withErrorField(line: string): string {
  if (!line.startsWith('error:')) return line;
  const error = line.slice('error:'.length).trim();
  return `{"error":${parseJson(error) === undefined ? JSON.stringify(error) : error}}`;
}

export function unreadableEventError(provider: string): GatewayError {
  return unusableResponseError(`The provider ${provider} sent an event that is not a JSON object`);
}

/** A lost connection leaves a truncated event, which the caller could not parse. */
export function isCompleteEvent(rest: Buffer): boolean {
  const { kind } = readEventPayload(rest, parseJson);
  return kind === 'done' || kind === 'payloads';
}

/** Parsers discard a final event without a blank line after it. */
export function withBlankLine(rest: Buffer): Buffer {
  return Buffer.concat([rest, Buffer.from(rest.at(-1) === 0x0a ? '\n' : '\n\n')]);
}

const noBytes = Buffer.alloc(0);

/** Does not copy a single event. */
export function joinEvents(events: readonly Buffer[]): Buffer {
  const [first = noBytes, ...others] = events;
  return others.length === 0 ? first : Buffer.concat(events);
}
