/** Counts the text of a response in OpenAI's chat format, for a provider that reports no usage. */
import type { TextCounter } from '../operation.ts';

/**
 * The ends of the keys whose values are text: `content`, `reasoning_content`, `reasoning`, `arguments` of a tool call,
 * `refusal`. They cannot match inside a string, where quotes are escaped.
 */
const textKeys = ['content":', 'reasoning":', 'arguments":', 'refusal":'].map((key) => Buffer.from(key));

const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** Counts without decoding, since it runs for every chunk of a stream. */
export function createTextCounter(): TextCounter {
  let bytes = 0;
  return {
    add(events) {
      for (const key of textKeys) {
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
