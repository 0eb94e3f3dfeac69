/**
 * Splits a byte stream into server-sent events without decoding it.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import { GatewayError } from '#lambdas/platform/errors.ts';

/** Larger than any event that a provider sends. */
export const maxEventBytes = 16 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

type LineState = 'empty' | 'carriage return' | 'text';

export interface SseSplitter {
  /**
   * Returns the events that this chunk completes, each with its final blank line. Throws a `GatewayError` when an event
   * is too large.
   */
  push(chunk: Buffer): Buffer[];
  readonly isBetweenEvents: boolean;
  /** Returns the bytes after the last blank line. */
  rest(): Buffer;
}

/** Lines end with LF or CRLF. A chunk may end anywhere, even inside a line break or a character. */
export function createSseSplitter(): SseSplitter {
  const held = createByteAccumulator();
  let line: LineState = 'empty';

  return {
    push(chunk) {
      const events: Buffer[] = [];
      let eventStart = 0;
      let lineStart = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, lineStart)) {
        const isBlank = extendLine(line, chunk, lineStart, end) !== 'text';
        lineStart = end + 1;
        line = 'empty';
        if (!isBlank) continue;
        const tail = chunk.subarray(eventStart, lineStart);
        held.add(tail);
        events.push(held.take());
        eventStart = lineStart;
      }
      line = extendLine(line, chunk, lineStart, chunk.length);
      if (eventStart < chunk.length) held.add(chunk.subarray(eventStart));
      if (held.length > maxEventBytes) {
        throw new GatewayError('provider_error', { message: 'The provider sent an event that is too large' });
      }
      return events;
    },
    get isBetweenEvents() {
      return held.length === 0;
    },
    rest: held.take,
  };
}

function extendLine(line: LineState, chunk: Buffer, from: number, to: number): LineState {
  if (from === to) return line;
  const isCarriageReturn = to - from === 1 && chunk[from] === carriageReturn;
  return line === 'empty' && isCarriageReturn ? 'carriage return' : 'text';
}

/** Joins an event's `data` lines with line feeds; `null` when it has none, as for a comment. */
export function sseData(event: Buffer): string | null {
  const data: string[] = [];
  for (const line of event.toString('utf8').split(/\r?\n/)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return data.length === 0 ? null : data.join('\n');
}

export function sseEvent(data: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}

/**
 * Concatenates chunks into a buffer of at most twice their size. A single chunk is not copied, and the cost per byte of
 * many chunks is constant.
 */
export interface ByteAccumulator {
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
