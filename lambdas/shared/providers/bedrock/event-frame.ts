/**
 * One frame of AWS's binary event streams: two lengths and their checksum, headers, a body, and a checksum of it all.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { crc32 } from 'node:zlib';

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
