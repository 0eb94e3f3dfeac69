/** Finds the end of a JSON body by its brackets: some servers keep the connection open, and others send events after it. */
import { createByteAccumulator } from './sse.ts';

interface JsonBody {
  /** Expects an object or a list. Returns `true` for the chunk that contains the end of the value. */
  push(chunk: Buffer): boolean;
  /** Returns the value, which may be incomplete or invalid, and what has followed it. */
  take(): { value: Buffer; rest: Buffer };
}

export function createJsonBody(): JsonBody {
  const body = createByteAccumulator();
  const findEnd = createEndFinder();
  /** The length of the value. */
  let length: number | null = null;
  return {
    push(chunk) {
      const start = body.length;
      body.add(chunk);
      const end = length === null ? findEnd(chunk) : null;
      if (end !== null) length = start + end;
      return end !== null;
    },
    take() {
      const bytes = body.take();
      return {
        value: bytes.subarray(0, length ?? bytes.length),
        rest: bytes.subarray(length ?? bytes.length),
      };
    },
  };
}

const quote = 0x22;
const backslash = 0x5c;

/** Returns a function that receives each chunk, and returns the offset after the bracket that closes the first one. */
function createEndFinder(): (chunk: Buffer) => number | null {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        isEscaped = byte === backslash;
        isInString = byte !== quote;
      } else if (byte === quote) isInString = true;
      else if (isOpeningBracket(byte)) depth++;
      else if (isClosingBracket(byte)) {
        depth--;
        if (depth === 0) return at + 1;
      }
    }
    return null;
  };
}

function isOpeningBracket(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b; // { [
}

function isClosingBracket(byte: number | undefined): boolean {
  return byte === 0x7d || byte === 0x5d; // } ]
}
