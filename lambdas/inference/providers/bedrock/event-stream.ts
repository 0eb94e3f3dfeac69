/**
 * Splits AWS's binary event streams into frames and decodes them. A frame consists of a prelude (two lengths), its
 * checksum, headers, a payload, and the checksum of everything before.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { crc32 } from 'node:zlib';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { createByteAccumulator } from '../http/sse.ts';

export type StreamedMessage =
  | { kind: 'event'; type: string; payload: JsonObject }
  /** `type` is empty if unknown. */
  | { kind: 'exception'; type: string; payload: JsonObject };

export class CorruptStreamError extends Error {}

interface FrameSplitter {
  /** Yields the messages that this chunk completes. Throws a `CorruptStreamError` at a corrupt frame. */
  push(chunk: Buffer): Generator<StreamedMessage>;
}

const preludeBytes = 8;
const checksumBytes = 4;
const minFrameBytes = preludeBytes + 2 * checksumBytes;
/** Larger than any frame that a service sends. */
const maxFrameBytes = 16 * 1024 * 1024;

export function createFrameSplitter(): FrameSplitter {
  const pending = createByteAccumulator();
  let requiredBytes = 4;
  return {
    *push(chunk) {
      pending.add(chunk);
      while (pending.length >= requiredBytes) {
        const bytes = pending.take();
        const length = frameLength(bytes);
        const isComplete = bytes.length >= length;
        pending.add(isComplete ? bytes.subarray(length) : bytes);
        requiredBytes = isComplete ? 4 : length;
        if (isComplete) yield decode(bytes.subarray(0, length));
      }
    },
  };
}

function frameLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < minFrameBytes || length > maxFrameBytes) throw new CorruptStreamError('not a frame');
  return length;
}

function decode(bytes: Buffer): StreamedMessage {
  const frame = readFrame(bytes);
  if (frame === null) throw new CorruptStreamError('invalid frame');
  const header = (name: string) => frame.headers.get(name) ?? '';
  const payload = parseJsonObject(frame.body.toString('utf8')) ?? {};
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

interface Frame {
  /** The headers with string values, which include all headers that describe a frame. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

/** Expects the bytes of exactly one frame. Returns `null` if a checksum or a length is wrong. */
export function readFrame(bytes: Buffer): Frame | null {
  const headersStart = preludeBytes + checksumBytes;
  const bodyEnd = bytes.length - checksumBytes;
  if (!isChecksumValid(bytes, preludeBytes) || !isChecksumValid(bytes, bodyEnd)) return null;
  const bodyStart = headersStart + bytes.readUInt32BE(4);
  const headers = bodyStart > bodyEnd ? null : readHeaders(bytes.subarray(headersStart, bodyStart));
  return headers === null ? null : { headers, body: bytes.subarray(bodyStart, bodyEnd) };
}

function isChecksumValid(bytes: Buffer, end: number): boolean {
  return crc32(bytes.subarray(0, end)) === bytes.readUInt32BE(end);
}

const stringType = 7;
/** The size of a header's value by its type; `null` for values that are preceded by their length. */
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
    if (type === stringType)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd));
    at = valueEnd;
  }
  return headers;
}
