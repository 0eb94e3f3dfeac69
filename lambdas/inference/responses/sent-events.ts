/** Follows what is sent of a response: its text, for a response without usage, and the numbers of its events. */
import { createTextCounter, type TextCounter } from '../text-counter.ts';

interface SentEvents extends TextCounter {
  /** The `sequence_number` of the next event. */
  nextSequenceNumber(): number;
}

/** In a stream, the final events of an item repeat its deltas. */
const deltaKeys = [Buffer.from('"delta":')];
/** The keys of text, also of reasoning, and of calls of functions, custom tools and the code interpreter. */
const textKeys = ['"text":', '"refusal":', '"arguments":', '"input":', '"code":'].map((key) =>
  Buffer.from(key),
);

const numberKey = Buffer.from('"sequence_number":');

export function createSentEvents({ stream }: { stream: boolean }): SentEvents {
  const counter = createTextCounter(stream ? deltaKeys : textKeys);
  let last: Buffer | null = null;
  return {
    add(bytes) {
      if (bytes.length > 0) last = bytes;
      counter.add(bytes);
    },
    get bytes() {
      return counter.bytes;
    },
    nextSequenceNumber() {
      const at = last?.lastIndexOf(numberKey) ?? -1;
      if (last === null || at === -1) return 0;
      const digits = last.toString('latin1', at + numberKey.length, at + numberKey.length + 16);
      return Number.parseInt(digits, 10) + 1 || 0;
    },
  };
}
