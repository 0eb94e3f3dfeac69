/**
 * Splits a byte stream into server-sent events without decoding it.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import { unusableResponseError } from '#lambdas/platform/errors.ts';
import { serialize } from '../serialize.ts';

/** Larger than any event that a provider sends. */
export const maxEventBytes = 16 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

interface SseSplitter {
  /**
   * Returns the events that this chunk completes, each with its final blank line. Throws a `GatewayError` when an event
   * is too large.
   */
  push(chunk: Buffer): Buffer[];
  readonly isBetweenEvents: boolean;
  /** Returns the bytes after the last blank line. */
  rest(): Buffer;
}

/** Lines end with LF, CRLF or CR. A chunk may end anywhere, even inside a line break or a character. */
export function createSseSplitter(): SseSplitter {
  const held = createByteAccumulator();
  let isLineEmpty = true;
  /** The last line ended with CR alone. */
  let endedWithReturn = false;
  /** The last byte was a CR that may be the first half of a CRLF: the line has not ended yet. */
  let isReturnPending = false;

  return {
    push(chunk) {
      const events: Buffer[] = [];
      let eventStart = 0;
      let at = 0;
      const endLine = (end: number) => {
        at = end;
        if (isLineEmpty) {
          held.add(chunk.subarray(eventStart, end));
          events.push(held.take());
          eventStart = end;
        }
        isLineEmpty = true;
      };
      if (isReturnPending && chunk.length > 0) {
        isReturnPending = false;
        endedWithReturn = chunk[0] !== lineFeed;
        endLine(endedWithReturn ? 0 : 1);
      }
      let feed = chunk.indexOf(lineFeed, at);
      let returned = chunk.indexOf(carriageReturn, at);
      for (;;) {
        if (feed !== -1 && feed < at) feed = chunk.indexOf(lineFeed, at);
        if (returned !== -1 && returned < at) returned = chunk.indexOf(carriageReturn, at);
        const isFeed = returned === -1 || (feed !== -1 && feed < returned);
        const lineEnd = isFeed ? feed : returned;
        if (lineEnd === -1) break;
        if (lineEnd > at) isLineEmpty = false;
        const next = lineEnd + 1;
        if (isFeed) {
          endedWithReturn = false;
          endLine(next);
        } else if (next < chunk.length) {
          endedWithReturn = chunk[next] !== lineFeed;
          endLine(endedWithReturn ? next : next + 1);
        } else if (isLineEmpty && endedWithReturn) {
          // Two CRs in a row: an LF would not follow in such a stream, and the next chunk may be long in coming.
          endLine(next);
        } else {
          isReturnPending = true;
          at = next;
        }
      }
      if (at < chunk.length) isLineEmpty = false;
      if (eventStart < chunk.length) held.add(chunk.subarray(eventStart));
      if (held.length > maxEventBytes) {
        throw unusableResponseError('The provider sent an event that is too large');
      }
      return events;
    },
    get isBetweenEvents() {
      return held.length === 0;
    },
    rest: held.take,
  };
}

interface SseEvent {
  /** The field `event`; empty if there is none. */
  type: string;
  /** The `data` lines, joined with line feeds; `null` when there are none, as for a comment. */
  data: string | null;
  /** The lines that are no field of an event: some servers send an error as `error: {…}` or as plain JSON. */
  others: readonly string[];
}

const fieldNames: readonly string[] = ['data', 'event', 'id', 'retry'];

export function readSseEvent(event: Buffer): SseEvent {
  const data: string[] = [];
  const others: string[] = [];
  let type = '';
  for (const line of event.toString('utf8').split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    if (line === '' || colon === 0) continue;
    if (!fieldNames.includes(name)) {
      others.push(line);
      continue;
    }
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
  }
  return { type, data: data.length === 0 ? null : data.join('\n'), others };
}

export function sseEvent(data: unknown): Buffer {
  return Buffer.from(`data: ${serialize(data)}\n\n`);
}

export const sseDone = Buffer.from('data: [DONE]\n\n');

/**
 * Concatenates chunks into a buffer of at most twice their size. A single chunk is not copied, and the cost per byte of
 * many chunks is constant.
 */
interface ByteAccumulator {
  readonly length: number;
  add(chunk: Buffer): void;
  /** Returns the concatenated chunks and resets the accumulator. */
  take(): Buffer;
}

const noBytes = Buffer.alloc(0);

export function createByteAccumulator(): ByteAccumulator {
  let buffer: Buffer = noBytes;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(chunk) {
      const newLength = length + chunk.length;
      if (length === 0) buffer = chunk;
      else {
        if (newLength > buffer.length) buffer = enlarge(buffer.subarray(0, length), 2 * newLength);
        chunk.copy(buffer, length);
      }
      length = newLength;
    },
    take() {
      const bytes = buffer.subarray(0, length);
      buffer = noBytes;
      length = 0;
      return bytes;
    },
  };
}

function enlarge(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  bytes.copy(larger);
  return larger;
}
