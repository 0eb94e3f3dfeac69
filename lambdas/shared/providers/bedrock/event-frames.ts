/**
 * The binary event stream of AWS, cut out of a byte stream and decoded.
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { type JsonObject, parseJsonObject } from '../../domain/json.ts';

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
const largestFrameBytes = 24 * 1024 * 1024;

const codec = new EventStreamCodec(toUtf8, fromUtf8);

/** A chunk may end anywhere, inside a length too. */
export function createFrameSplitter(): FrameSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = 4;
  return {
    *push(chunk) {
      held.push(chunk);
      heldBytes += chunk.length;
      while (heldBytes >= wantedBytes) {
        const [bytes = chunk] = held.length === 1 ? held : [Buffer.concat(held)];
        const length = frameBytes(bytes);
        const frame = bytes.subarray(0, length);
        if (frame.length < length) {
          held = [bytes];
          wantedBytes = length;
          return;
        }
        heldBytes -= length;
        held = heldBytes > 0 ? [bytes.subarray(length)] : [];
        wantedBytes = 4;
        yield decode(frame);
      }
    },
  };
}

function frameBytes(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < smallestFrameBytes || length > largestFrameBytes) throw new DamagedStream('not a frame');
  return length;
}

function readFrame(frame: Buffer): ReturnType<typeof codec.decode> {
  try {
    return codec.decode(frame);
  } catch (error) {
    throw new DamagedStream('a frame that does not fit its checksums', { cause: error });
  }
}

function decode(frame: Buffer): StreamedMessage {
  const { headers, body } = readFrame(frame);
  const header = (name: string) => String(headers[name]?.value ?? '');
  const payload = parseJsonObject(Buffer.from(body).toString('utf8')) ?? {};
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
