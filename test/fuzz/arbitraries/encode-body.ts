import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { isJsonObject } from '#lambdas/platform/json/json.ts';

export type BodyEncoding = 'json' | 'sse' | 'event_stream';

type Finish = (json: string) => string;

/** `values` is an array for streams. `finish` transforms each JSON text before it is encoded. */
export function encodeBody(encoding: BodyEncoding, values: unknown, finish: Finish): Buffer {
  const list: unknown[] = Array.isArray(values) ? values : [values];
  switch (encoding) {
    case 'json':
      return Buffer.from(finish(jsonText(values)));
    case 'sse':
      return Buffer.from(list.map((value) => finish(sseText(value))).join(''));
    case 'event_stream':
      return Buffer.concat(list.map((value) => encodeFrame(value, finish)));
    default:
      return encoding satisfies never;
  }
}

/** A string is already an event, such as a comment. */
function sseText(value: unknown): string {
  return typeof value === 'string' ? `${value}\n\n` : `data: ${JSON.stringify(value)}\n\n`;
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** Encodes a frame with valid checksums, even for an event whose type is not a valid name. */
function encodeFrame(value: unknown, finish: Finish): Buffer {
  const [[type, payload] = ['', value]] = isJsonObject(value) ? Object.entries(value) : [];
  const kind = type.endsWith('Exception') ? 'exception' : 'event';
  const header = (text: string) => ({ type: 'string' as const, value: text.slice(0, 200) });
  const headers = { [`:${kind}-type`]: header(type), ':message-type': header(kind) };
  return Buffer.from(codec.encode({ headers, body: fromUtf8(finish(jsonText(payload ?? null))) }));
}
