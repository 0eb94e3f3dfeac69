/**
 * Splits AWS's binary event streams into frames and decodes them: two lengths and their checksum, headers, a body, and a
 * checksum of it all. https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { crc32 } from 'node:zlib';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createByteAccumulator } from '../http/sse.ts';

export type StreamedMessage =
  | { kind: 'event'; type: string; payload: JsonObject }
  /** An error of the service; `type` is empty if it has no name. */
  | { kind: 'exception'; type: string; payload: JsonObject };

/** The bytes are not an event stream, or were changed in transit. */
export class CorruptStreamError extends Error {}

export interface FrameSplitter {
  /** Yields the messages that this chunk completes. Throws a `CorruptStreamError` after those before the damage. */
  push(chunk: Buffer): Generator<StreamedMessage>;
}

/** A frame without headers and body: two lengths and two checksums. */
const minFrameBytes = 16;
/** More than any service sends. */
const maxFrameBytes = 16 * 1024 * 1024;

/** Chunks may end anywhere, even inside a length. */
export function createFrameSplitter(): FrameSplitter {
  const held = createByteAccumulator();
  let wantedBytes = 4;
  return {
    *push(chunk) {
      held.add(chunk);
      while (held.length >= wantedBytes) {
        const bytes = held.take();
        const length = frameBytes(bytes);
        const isWhole = bytes.length >= length;
        held.add(isWhole ? bytes.subarray(length) : bytes);
        wantedBytes = isWhole ? 4 : length;
        if (isWhole) yield decode(bytes.subarray(0, length));
      }
    },
  };
}

function frameBytes(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < minFrameBytes || length > maxFrameBytes) throw new CorruptStreamError('not a frame');
  return length;
}

function decode(bytes: Buffer): StreamedMessage {
  const read = readFrame(bytes);
  if (read === null) throw new CorruptStreamError('a frame that does not fit its checksums');
  const header = (name: string) => read.headers.get(name) ?? '';
  const payload = parseJsonObject(read.body.toString('utf8')) ?? {};
  switch (header(':message-type')) {
    case 'exception':
      return { kind: 'exception', type: header(':exception-type'), payload };
    case 'error':
      return {
        kind: 'exception',
        type: header(':error-code'),
        payload: { message: header(':error-message') },
      };
    default:
      return { kind: 'event', type: header(':event-type'), payload };
  }
}

export interface Frame {
  /** The headers with text values, which include all that describe a frame. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

const preludeBytes = 8;
const checksumBytes = 4;

/** `null` if a checksum or a length is wrong. Expects the bytes of exactly one frame. */
export function readFrame(bytes: Buffer): Frame | null {
  const headersStart = preludeBytes + checksumBytes;
  const bodyEnd = bytes.length - checksumBytes;
  if (!isIntact(bytes, preludeBytes) || !isIntact(bytes, bodyEnd)) return null;
  const bodyStart = headersStart + bytes.readUInt32BE(4);
  const headers = bodyStart > bodyEnd ? null : readHeaders(bytes.subarray(headersStart, bodyStart));
  return headers === null ? null : { headers, body: bytes.subarray(bodyStart, bodyEnd) };
}

/** Each checksum covers all bytes before it. */
function isIntact(bytes: Buffer, end: number): boolean {
  return crc32(bytes.subarray(0, end)) === bytes.readUInt32BE(end);
}

const textType = 7;
/** The size of a header's value by the number of its type; `null` for values that begin with their length. */
const valueBytes = new Map([0, 0, 1, 2, 4, 8, null, null, 8, 16].entries());

function readHeaders(bytes: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd] ?? -1;
    const size = valueBytes.get(type);
    const valueStart = nameEnd + (size === null ? 3 : 1);
    if (size === undefined || valueStart > bytes.length) return null;
    const valueEnd = valueStart + (size ?? bytes.readUInt16BE(nameEnd + 1));
    if (valueEnd > bytes.length) return null;
    if (type === textType)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd));
    at = valueEnd;
  }
  return headers;
}
