/** The binary event stream of AWS, cut out of a byte stream and decoded. */
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';
import { gatherBytes } from '../http/gathered-bytes.ts';
import { readFrame } from './event-frame.ts';

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
