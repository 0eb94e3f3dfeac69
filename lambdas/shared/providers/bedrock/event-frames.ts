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

export interface FrameSplitter {
  /** The messages that this chunk completes. Throws an `Error` where a frame is damaged. */
  push(chunk: Buffer): StreamedMessage[];
}

/** Two lengths and three checksums: a frame without headers and body. */
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
    push(chunk) {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes < wantedBytes) return [];
      let rest = Buffer.concat(held);
      const messages: StreamedMessage[] = [];
      for (;;) {
        wantedBytes = rest.length < 4 ? 4 : frameBytes(rest);
        if (rest.length < wantedBytes) break;
        messages.push(decode(rest.subarray(0, wantedBytes)));
        rest = rest.subarray(wantedBytes);
      }
      held = [rest];
      heldBytes = rest.length;
      return messages;
    },
  };
}

function frameBytes(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < smallestFrameBytes || length > largestFrameBytes) throw new Error('not an event stream');
  return length;
}

function decode(frame: Buffer): StreamedMessage {
  const { headers, body } = codec.decode(frame);
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
