/** Counts the text of a response, for a provider that reports no usage. */
/** Follows the text in a response while it is sent to the caller. */
export interface TextCounter {
  /** Expects complete events, or a whole body, in the operation's format. */
  add(bytes: Buffer): void;
  /** The size of the text in UTF-8, with JSON escapes resolved. */
  readonly bytes: number;
}

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/**
 * Counts without decoding, since it runs for every chunk of a stream. `keys` are those whose values are text, or the ends of
 * their names, with the quote and the colon after it: they cannot match inside a string, where quotes are escaped.
 */
export function createTextCounter(keys: readonly Buffer[]): TextCounter {
  let bytes = 0;
  return {
    add(events) {
      for (const key of keys) {
        for (let at = events.indexOf(key); at !== -1; at = events.indexOf(key, at + 1)) {
          bytes += textBytes(events, at + key.length);
        }
      }
    },
    get bytes() {
      return bytes;
    },
  };
}

/** Returns the size of the string that begins at `start`; 0 for any other value. */
function textBytes(events: Buffer, start: number): number {
  let at = start;
  while (events[at] === space) at++;
  if (events[at] !== quote) return 0;
  let bytes = 0;
  for (at++; at < events.length && events[at] !== quote; at++) {
    if (events[at] !== backslash) bytes++;
    else if (events[at + 1] === letterU) {
      bytes += utf8Bytes(Number.parseInt(events.toString('latin1', at + 2, at + 6), 16));
      at += 5;
    } else {
      bytes++;
      at++;
    }
  }
  return bytes;
}

/** Returns the UTF-8 size of a UTF-16 code unit; the two halves of a surrogate pair count two bytes each. */
function utf8Bytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}
