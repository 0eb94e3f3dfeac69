/** The three forms in which providers send: a whole body, server-sent events, and the frames of AWS. */
import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { isJsonObject } from '#lambdas/platform/json/json.ts';

export type Form = 'whole' | 'events' | 'frames';

type Finish = (json: string) => string;

/** `values` is a list where the form has several; `finish` has the last word on each text. */
export function wireBytes(form: Form, values: unknown, finish: Finish): Buffer {
  const list: unknown[] = Array.isArray(values) ? values : [values];
  switch (form) {
    case 'whole':
      return Buffer.from(finish(textOf(values)));
    case 'events':
      return Buffer.from(list.map((value) => finish(eventOf(value))).join(''));
    case 'frames':
      return Buffer.concat(list.map((value) => frame(value, finish)));
    default:
      return form satisfies never;
  }
}

/** A text is an event as it is, such as a comment. */
function eventOf(value: unknown): string {
  return typeof value === 'string' ? `${value}\n\n` : `data: ${JSON.stringify(value)}\n\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** With the checksums that it should have; of an event whose type is no name any more, too. */
function frame(value: unknown, finish: Finish): Buffer {
  const [[type, payload] = ['', value]] = isJsonObject(value) ? Object.entries(value) : [];
  const kind = type.endsWith('Exception') ? 'exception' : 'event';
  const header = (text: string) => ({ type: 'string' as const, value: text.slice(0, 200) });
  const headers = { [`:${kind}-type`]: header(type), ':message-type': header(kind) };
  return Buffer.from(codec.encode({ headers, body: fromUtf8(finish(textOf(payload ?? null))) }));
}
