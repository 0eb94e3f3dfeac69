/**
 * Server-sent events, cut out of a byte stream without decoding it.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import { GatewayError } from '#lambdas/platform/errors.ts';

/** More than any provider sends in one event. */
export const maxEventBytes = 16 * 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** What has been seen of the line that is being read. */
type LineState = 'empty' | 'carriage return' | 'text';

export interface SseSplitter {
  /**
   * The events that this chunk completes, each with the blank line that ends it. Throws a `GatewayError` when one is too
   * large.
   */
  push(chunk: Buffer): Buffer[];
  /** Whether the next chunk begins with a new event. */
  readonly isBetweenEvents: boolean;
  /** What came after the last blank line. */
  rest(): Buffer;
}

/** Lines end with LF or CRLF; a chunk may end anywhere, inside a line end or a character too. */
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

/** An event's `data` lines joined by line feeds; `null` when it has none (a comment, say). */
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
 * Bytes that come in pieces, gathered into one buffer of at most twice their size. A single piece is not copied, and each
 * byte of many a few times at most.
 */
export interface ByteAccumulator {
  readonly length: number;
  add(piece: Buffer): void;
  /** Returns everything that was gathered, and begins anew. */
  take(): Buffer;
}

const nothing = Buffer.alloc(0);

export function createByteAccumulator(): ByteAccumulator {
  let room: Buffer = nothing;
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(piece) {
      const needed = length + piece.length;
      if (length === 0) room = piece;
      else {
        if (needed > room.length) room = enlarged(room.subarray(0, length), 2 * needed);
        piece.copy(room, length);
      }
      length = needed;
    },
    take() {
      const gathered = room.subarray(0, length);
      room = nothing;
      length = 0;
      return gathered;
    },
  };
}

function enlarged(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  bytes.copy(larger);
  return larger;
}
