/** Tells the form of a response by its first bytes: its content type, or the request, may say otherwise. */
import { createByteAccumulator } from './sse.ts';

/** `frames` are those of AWS's binary event streams. */
export type ResponseForm = 'json' | 'events' | 'frames';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? bytes.subarray(byteOrderMark.length)
    : bytes;
}

/** A frame begins with its length, whose first byte is 0, since no frame has 16 MB. */
const frameStart = 0x00;
const jsonStarts = [0x7b, 0x5b]; // { [
const whitespace = [0x20, 0x09, 0x0a, 0x0d];

interface FormReader {
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

const noBytes = Buffer.alloc(0);

/**
 * Passes the bytes on to the reader that `select` returns once the form is known, without a byte order mark. `null` stands
 * for a response without content.
 */
export function createFormReader(select: (form: ResponseForm | null) => FormReader): FormReader {
  const held = createByteAccumulator();
  let reader: FormReader | null = null;
  return {
    push(chunk) {
      if (reader !== null) return reader.push(chunk);
      held.add(chunk);
      const bytes = held.take();
      const start = startOfContent(bytes);
      if (start === null) {
        held.add(bytes);
        return noBytes;
      }
      reader = select(formOf(bytes[start.content]));
      return reader.push(start.afterMark === 0 ? bytes : bytes.subarray(start.afterMark));
    },
    end() {
      reader ??= select(null);
      return reader.end();
    },
  };
}

/** Returns `null` while there is only whitespace, or perhaps a part of a byte order mark. */
function startOfContent(bytes: Buffer): { content: number; afterMark: number } | null {
  const markLength = Math.min(bytes.length, byteOrderMark.length);
  const hasMark = bytes.subarray(0, markLength).equals(byteOrderMark.subarray(0, markLength));
  if (hasMark && markLength < byteOrderMark.length) return null;
  const afterMark = hasMark ? byteOrderMark.length : 0;
  let content = afterMark;
  while (content < bytes.length && whitespace.includes(bytes[content] ?? 0)) content++;
  return content === bytes.length ? null : { content, afterMark };
}

function formOf(first: number | undefined): ResponseForm {
  if (first === frameStart) return 'frames';
  return first !== undefined && jsonStarts.includes(first) ? 'json' : 'events';
}
