/** Collects a JSON body, and finds its end before the response ends, since some servers keep the connection open. */
import { createByteAccumulator } from './sse.ts';

export interface JsonBody {
  /**
   * Returns the body so far if a JSON value may end with it: after a closing bracket, or at a blank line after which events
   * may follow.
   */
  push(chunk: Buffer): Buffer | null;
  /** Returns the body so far, and forgets it. */
  take(): Buffer;
}

/** Bounds the time for parsing a body that arrives in many small chunks. */
const maxParsedBytes = 4 * 1024 * 1024;

const blankLines = ['\n\n', '\n\r\n', '\r\r'];
const closingBrackets: readonly (number | undefined)[] = [0x7d, 0x5d]; // } ]
const whitespace: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];

export function createJsonBody(): JsonBody {
  const body = createByteAccumulator();
  let parsedBytes = 0;
  return {
    take: body.take,
    push(chunk) {
      body.add(chunk);
      if (!mayEndValue(chunk) || parsedBytes > maxParsedBytes) return null;
      const bytes = body.take();
      body.add(bytes);
      parsedBytes += bytes.length;
      return bytes;
    },
  };
}

function mayEndValue(chunk: Buffer): boolean {
  let last = chunk.length - 1;
  while (last >= 0 && whitespace.includes(chunk[last])) last--;
  return closingBrackets.includes(chunk[last]) || blankLines.some((line) => chunk.includes(line));
}
