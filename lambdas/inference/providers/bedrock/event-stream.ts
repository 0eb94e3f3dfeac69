/**
 * One frame of AWS's binary event streams: two lengths and their checksum, headers, a body, and a checksum of it all.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { crc32 } from 'node:zlib';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { gatherBytes } from '../http/sse.ts';
export interface Frame {
  /** Those that are texts, as all are that say what a frame is. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

const preludeBytes = 8;
const checksumBytes = 4;

/** `null` where a checksum or a length does not fit. The bytes are those of the frame and no others. */
export function readFrame(bytes: Buffer): Frame | null {
  const headersStart = preludeBytes + checksumBytes;
  const bodyEnd = bytes.length - checksumBytes;
  if (!isIntact(bytes, preludeBytes) || !isIntact(bytes, bodyEnd)) return null;
  const bodyStart = headersStart + bytes.readUInt32BE(4);
  const headers = bodyStart > bodyEnd ? null : readHeaders(bytes.subarray(headersStart, bodyStart));
  return headers === null ? null : { headers, body: bytes.subarray(bodyStart, bodyEnd) };
}

/** Each checksum is of all that stands before it. */
function isIntact(bytes: Buffer, end: number): boolean {
  return crc32(bytes.subarray(0, end)) === bytes.readUInt32BE(end);
}

const text = 7;
/** By the number of a header's type; those of other types begin with their length. */
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
    if (type === text)
      headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd));
    at = valueEnd;
  }
  return headers;
}

// The binary event stream of AWS, cut out of a byte stream and decoded.

export type StreamedMessage =
  | { kind: 'event'; type: string; payload: JsonObject }
  /** An error that the service has named, or (`type` empty) one that it has not. */
  | { kind: 'exception'; type: string; payload: JsonObject };

/** What came is no event stream, or was changed on the way. */
export class DamagedStream extends Error {}

export interface FrameSplitter {
  /** The messages that this chunk completes. Throws a `DamagedStream`, after those that came before the damage. */
  push(chunk: Buffer): Generator<StreamedMessage>;
}

/** Two lengths and two checksums: a frame without headers and body. */
const smallestFrameBytes = 16;
/** More than any service sends: what claims to be larger is no frame. */
const largestFrameBytes = 16 * 1024 * 1024;

/** A chunk may end anywhere, inside a length too. */
export function createFrameSplitter(): FrameSplitter {
  const held = gatherBytes();
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
  if (length < smallestFrameBytes || length > largestFrameBytes) throw new DamagedStream('not a frame');
  return length;
}

function decode(bytes: Buffer): StreamedMessage {
  const read = readFrame(bytes);
  if (read === null) throw new DamagedStream('a frame that does not fit its checksums');
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
