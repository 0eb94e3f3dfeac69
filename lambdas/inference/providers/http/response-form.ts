/** Tells the form of a response by its first bytes: its content type, or the request, may say otherwise. */

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
 * Passes the bytes on to the reader that `select` returns once the form is known, without a byte order mark and whitespace
 * before the content. `null` stands for a response without content.
 */
export function createFormReader(select: (form: ResponseForm | null) => FormReader): FormReader {
  let reader: FormReader | null = null;
  /** The first bytes, while they may be a part of a byte order mark; `null` after them. */
  let start: Buffer | null = noBytes;

  const afterMark = (chunk: Buffer): Buffer => {
    if (start === null) return chunk;
    const bytes = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
    const isPartOfMark = bytes.length < byteOrderMark.length && byteOrderMark.indexOf(bytes) === 0;
    start = isPartOfMark ? bytes : null;
    return isPartOfMark ? noBytes : withoutByteOrderMark(bytes);
  };
  return {
    push(chunk) {
      if (reader !== null) return reader.push(chunk);
      const bytes = afterMark(chunk);
      const content = bytes.findIndex((byte) => !whitespace.includes(byte));
      if (content === -1) return noBytes;
      reader = select(formOf(bytes[content]));
      return reader.push(bytes.subarray(content));
    },
    end() {
      reader ??= select(null);
      return reader.end();
    },
  };
}

function formOf(first: number | undefined): ResponseForm {
  if (first === frameStart) return 'frames';
  return first !== undefined && jsonStarts.includes(first) ? 'json' : 'events';
}
